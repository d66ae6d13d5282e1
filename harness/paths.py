"""Where things lie: the checkout or what was installed of it, and folders of prepared data, wheels and environments."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from pathlib import Path

import platformdirs

ROOT = Path(__file__).resolve().parent.parent
SUITE = ROOT / "suite"
IMAGES = ROOT / "images"


def home() -> Path:
    """The folder of everything prepared: $JOULEMARK_HOME, else the user's cache folder."""
    configured = os.environ.get("JOULEMARK_HOME")
    return Path(configured).absolute() if configured else Path(platformdirs.user_cache_dir("joulemark"))


def worker_path() -> Path:
    """What a worker outside of containers finds modules in, beside its own environment's: the workloads.

    Where the harness is installed beside its libraries, a folder with a link to them and nothing else: else the worker
    would run with the harness's libraries in place of its own.
    """
    if (ROOT / "pyproject.toml").is_file():
        return ROOT
    folder = home() / "workloads" / hashlib.sha256(os.fsencode(ROOT)).hexdigest()[:12]
    folder.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        (folder / SUITE.name).symlink_to(SUITE, target_is_directory=True)
    return folder


def data_home() -> Path:
    return home() / "data"


def environments_home() -> Path:
    return home() / "environments"


def wheels_home() -> Path:
    return home() / "wheels"


def certificate() -> Path:
    """The proofs of equal work that were made here, by `suite verify`."""
    return home() / "conformance.json"


def imports() -> Path:
    """What each source of the workloads imports: found once."""
    return home() / "imports.json"


def builds() -> Path:
    """Which versions of the suite made each anonymous campaign of this machine."""
    return home() / "builds"


def costs() -> Path:
    """What runs took on this machine."""
    return home() / "costs.json"


def calibrations() -> Path:
    """What null campaigns told of this machine, by `suite calibrate`."""
    return home() / "calibration.json"


def last_snapshot() -> Path:
    """Of the machine, by `suite host snapshot`."""
    return home() / "host.json"


def machine_lock() -> Path:
    """The same for every user of the machine: $JOULEMARK_LOCK, else in the folder of temporary files."""
    return Path(os.environ.get("JOULEMARK_LOCK") or Path(tempfile.gettempdir()) / "joulemark-campaign.lock")
