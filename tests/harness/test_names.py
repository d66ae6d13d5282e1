"""One meaning a word: no two public classes share a name, but where each plays the same part."""

from __future__ import annotations

import ast
from collections import defaultdict

from harness import paths

ROOMS = ("harness", "suite", "reports")
# Of a framework: its face, network, layers, loop, loss, and caches.
PARTS = {"Impl", "Net", "Residual", "Standardised", "Trainer", "Classifier"}
PARTS |= {"LayerCache", "OfPrompt", "Growing", "Read", "Writer", "LayerSlots", "Slots", "SlotServer"}


def test_every_public_class_has_a_name_of_its_own() -> None:
    found: dict[str, list[str]] = defaultdict(list)
    for path in (path for room in ROOMS for path in (paths.ROOT / room).rglob("*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(str(path.relative_to(paths.ROOT)))
    assert {name: places for name, places in found.items() if len(places) > 1 and name not in PARTS} == {}
