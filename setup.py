"""Leaves in a wheel of which commit it was built, where that is known; all else stands in pyproject.toml."""

import runpy
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).parent


class Build(build_py):
    """The sources, and harness/commit.txt; an editable install asks git each time."""

    def run(self) -> None:
        """As it is, and then the file."""
        super().run()
        commit = runpy.run_path(str(ROOT / "harness" / "version.py"))["commit_of"](ROOT)
        if commit and not self.editable_mode:
            (Path(self.build_lib) / "harness" / "commit.txt").write_text(f"{commit}\n")


setup(cmdclass={"build_py": Build})
