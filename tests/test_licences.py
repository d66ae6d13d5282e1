"""What is installed may be used and passed on: each package tells a licence, and it is one that we know and allow."""

from __future__ import annotations

import re
from importlib import metadata

import pytest

# As parts of SPDX expressions. MPL and EPL reach no further than their own files, which are used unchanged.
ALLOWED = {
    "0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "CNRI-Python", "EPL-2.0", "LLVM-exception", "MIT",
    "MIT-CMU", "MPL-2.0", "PSF-2.0", "Zlib",
}  # fmt: skip
# As older packages say it, in a field of free text or a classifier.
SAID = {
    "Apache 2.0": "Apache-2.0", "Apache Software License": "Apache-2.0", "BSD": "BSD-3-Clause",
    "BSD License": "BSD-3-Clause", "FreeBSD": "BSD-2-Clause", "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
}  # fmt: skip
# Their metadata are silent; read in the files LICENSE that they install.
READ = {"axe-playwright-python": {"MIT", "MPL-2.0"}, "faster-coco-eval": {"Apache-2.0"}}
OWN = "joulemark"
WORD = re.compile(r"[\w.+-]+")

PACKAGES = sorted({one.metadata["Name"]: one for one in metadata.distributions()}.items())


def licences(package: metadata.Distribution) -> set[str]:
    """What it tells, the most exact first; empty where it tells none."""
    told = package.metadata
    if expression := told.get("License-Expression"):
        return set(WORD.findall(expression)) - {"AND", "OR", "WITH"}
    marks = [
        one.rpartition(" :: ")[2] for one in told.get_all("Classifier") or [] if one.startswith("License ::")
    ]
    free = (told.get("License") or "").strip()
    said = [one for one in marks if one != "DFSG approved"] or ([free] if free else [])
    return {SAID.get(one, one) for one in said} or READ[told["Name"]]


@pytest.mark.parametrize(("name", "package"), [one for one in PACKAGES if one[0] != OWN])
def test_a_package_s_licence_is_told_and_allowed(name: str, package: metadata.Distribution) -> None:
    assert licences(package) <= ALLOWED, "ask whether it may be used, and passed on"


def test_another_licence_is_not() -> None:
    assert (
        not {SAID.get("GNU General Public License v3 (GPLv3)", "GNU General Public License v3 (GPLv3)")}
        <= ALLOWED
    )
    assert set(WORD.findall("MIT AND GPL-3.0-only")) - {"AND"} - ALLOWED == {"GPL-3.0-only"}
