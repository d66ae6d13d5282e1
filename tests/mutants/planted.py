"""What a planted fault is: one place of one file of `suite/` that says something else."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Mutant:
    """`old` stands in `file`, a path under suite/, exactly once; `new` takes its place.

    `harmless` says why it changes nothing that is computed or done, where nobody can find it for that reason.
    """

    name: str
    framework: str
    workload: str
    file: str
    old: str
    new: str
    harmless: str = ""

    def plant(self, checkout: Path) -> None:
        """Raises: ValueError where the place is not there, or not alone: the mutant has to follow the code."""
        path = checkout / "suite" / self.file
        text = path.read_text()
        if text.count(self.old) != 1:
            raise ValueError(f"{self.name}: {self.old!r} stands {text.count(self.old)} times in {self.file}")
        path.write_text(text.replace(self.old, self.new))
