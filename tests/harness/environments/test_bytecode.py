"""Bytecode is read as data, and held against what its source compiles to."""

from __future__ import annotations

import importlib.util
import json
import marshal
from pathlib import Path

import docker
import pytest

from harness.environments import bytecode, compiling
from harness.environments.bases import LOCAL_BASE
from harness.environments.compiling import Suspect

SOURCE = b"""
class Thing:
    '''With everything that a constant may be.'''
    NUMBERS = (1, -2**70, 1.5, 2j, True, None, ..., b'bytes', '\\u00e4', 'x' * 3)
    def known(self, word):
        return word in {'alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta', 'eta', 'theta'}
def outer(a, /, b, *, c=(1, (2, 3))):
    try:
        return lambda: (a, b, c)
    except ValueError:
        raise
"""
NAME = "/opt/thing.py"


def pyc(source: bytes, marshal_version: int = marshal.version) -> bytes:
    """Version 2 writes each object as often as it occurs, later ones refer to the first."""
    code = compile(source, NAME, "exec", dont_inherit=True)
    header = importlib.util.MAGIC_NUMBER + bytes(bytecode.HEADER_BYTES - 4)
    return header + marshal.dumps(code, marshal_version)


def test_how_objects_are_shared_is_no_difference() -> None:
    assert pyc(SOURCE) != pyc(SOURCE, 2)
    assert bytecode.is_of(pyc(SOURCE), SOURCE, NAME)
    assert bytecode.is_of(pyc(SOURCE, 2), SOURCE, NAME)


def test_of_another_python_nothing_is_said_here() -> None:
    assert bytecode.compiles_here(pyc(SOURCE))
    assert not bytecode.compiles_here(b"\0" + pyc(SOURCE)[1:])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"'alpha'", b"'alphb'"),
        (b"1.5", b"1.25"),
        (b"(2, 3)", b"(3, 2)"),
        (b"ValueError", b"KeyError"),
        (b"-2**70", b"2**70"),
    ],
)
def test_any_other_source_is_a_difference(before: bytes, after: bytes) -> None:
    other = SOURCE.replace(before, after)
    assert other != SOURCE
    assert not bytecode.is_of(pyc(other), SOURCE, NAME)


def test_every_module_of_the_library_is_of_its_source() -> None:
    folder = Path(json.__file__).parent
    sources = sorted(folder.glob("*.py"))
    assert len(sources) >= 4
    for path in sources:
        content = path.read_bytes()
        marshalled = marshal.dumps(
            compile(content, str(path), "exec", dont_inherit=True), 2
        )  # nothing shared
        assert (
            bytecode.structure(marshalled) == bytecode.structure(bytecode.compiled(content, str(path))) != ""
        )


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"c",
        b"(\xff\xff\xff\xff",
        b"(\x01\x00\x00\x00" * 10_000,
        b"r\x00\x00\x00\x00",
        b"\xa9\x01r\x00\x00\x00\x00",
        b"?",
        b"NN",
    ],
    ids=["nothing", "cut", "long", "deep", "dangling", "of itself", "unknown", "two objects"],
)
def test_hostile_bytes_are_no_structure(data: bytes) -> None:
    assert bytecode.structure(data) == ""
    assert not bytecode.is_of(bytes(bytecode.HEADER_BYTES) + data, b"", NAME)


def test_a_bomb_of_references_costs_no_more_than_it_weighs() -> None:
    """Each tuple holds the one before it a hundred times: unfolded, 100^1000 objects."""
    bomb = b"\xa9\x00"
    for number in range(1000):
        bomb += b"\xa9\x64" + (b"r" + number.to_bytes(4, "little")) * 100
    whole = b"(" + (1001).to_bytes(4, "little") + bomb
    assert len(bytecode.structure(whole)) == 64


@pytest.mark.engine
def test_the_base_s_own_python_has_the_last_word(engine: docker.DockerClient) -> None:
    honest = bytecode.structure(pyc(SOURCE)[bytecode.HEADER_BYTES :])
    suspects = [Suspect("/a.pyc", NAME, SOURCE, honest), Suspect("/b.pyc", NAME, SOURCE + b"x = 1", honest)]
    assert compiling.wrong_of(engine, LOCAL_BASE, suspects) == {"/b.pyc"}
    assert compiling.wrong_of(engine, None, suspects) == {"/a.pyc", "/b.pyc"}
