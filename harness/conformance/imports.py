"""What a source of the suite imports, by the statements and the names in it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

BARE = {ast.Name, *ast.expr_context.__subclasses__(), *ast.operator.__subclasses__()}  # no node is within
NAME = re.compile(r"^suite(?:\.\w+)+$", re.ASCII)  # of a module, as importlib takes it


def imported(source: bytes, package: tuple[str, ...]) -> frozenset[str]:
    """Modules of `suite`, and names in them, wherever in the source they are imported or called by their name."""
    names: set[str] = set()
    for node in nodes_of(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            around = package[: len(package) + 1 - node.level] if node.level else ()
            module = ".".join([*around, *([node.module] if node.module else [])])
            names |= {f"{module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names |= set(NAME.findall(node.value))
    return frozenset(name for name in names if name.split(".")[0] == "suite")


def nodes_of(tree: ast.AST) -> Iterator[ast.AST]:
    """As ast.walk, in another order and without names and signs, which hold no other node: in a third of its time."""
    left = [tree]
    while left:
        yield (node := left.pop())
        for name in node._fields:
            value = getattr(node, name, None)
            if type(value) is list:
                left += [one for one in value if isinstance(one, ast.AST) and type(one) not in BARE]
            elif isinstance(value, ast.AST) and type(value) not in BARE:
                left.append(value)
