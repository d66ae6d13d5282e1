"""The state before: written once, put back exactly, told where it cannot be."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible.module_utils.joulemark import packages, record, swaps, values

WORD = st.text("abcdefgh_019", min_size=1, max_size=12)


@pytest.fixture
def governors(tmp_path: Path) -> list[Path]:
    files = [tmp_path / f"cpu{number}" for number in (0, 2, 10)]
    for file in files:
        file.write_text("powersave\n")
    return files


def taken(folder: Path) -> record.Record:
    return record.extended({}, {"values": [f"{folder}/cpu*"]})


@given(before=st.lists(WORD, min_size=1, max_size=5), during=WORD)
def test_whatever_is_written_meanwhile_the_first_values_come_back(
    tmp_path_factory: pytest.TempPathFactory, before: list[str], during: str
) -> None:
    folder = tmp_path_factory.mktemp("sys")
    for number, word in enumerate(before):
        (folder / f"cpu{number}").write_text(word)
    found = taken(folder)
    for file in folder.iterdir():
        file.write_text(during)
    found = record.extended(found, {"values": [f"{folder}/cpu*"]})
    assert record.put_back(found) == {}
    assert [(folder / f"cpu{number}").read_text().strip() for number in range(len(before))] == before


def test_cpus_are_put_back_in_the_order_of_their_numbers(governors: list[Path]) -> None:
    assert values.keys(f"{governors[0].parent}/cpu*") == [str(file) for file in governors]


def test_of_several_words_the_chosen_one_is_the_value(tmp_path: Path) -> None:
    (tmp_path / "enabled").write_text("always [madvise] never\n")
    assert values.look(str(tmp_path / "enabled")) == "madvise"


def test_a_file_that_has_gone_is_told_and_the_others_are_put_back(governors: list[Path]) -> None:
    found = taken(governors[0].parent)
    governors[0].unlink()
    governors[1].write_text("performance")
    assert list(record.put_back(found)) == [f"values {governors[0]}"]
    assert governors[1].read_text() == "powersave\n"


def test_a_file_comes_back_byte_for_byte_with_its_rights(tmp_path: Path) -> None:
    file, link, new = tmp_path / "daemon.json", tmp_path / "suite", tmp_path / "new"
    file.write_bytes(b'{"a": "\xff"}')
    file.chmod(0o640)
    link.symlink_to(file)
    found = record.extended({}, {"files": [str(file), str(link), str(new)]})
    for path in (file, link, new):
        path.unlink(missing_ok=True)
        path.write_text("other")
    assert record.put_back(found) == {}
    assert (file.read_bytes(), file.stat().st_mode & 0o777) == (b'{"a": "\xff"}', 0o640)
    assert link.readlink() == file
    assert not new.exists()


def test_a_record_is_read_as_it_was_written_and_by_nobody_else(tmp_path: Path, governors: list[Path]) -> None:
    path = tmp_path / "lib" / "state.json"
    record.save(path, taken(tmp_path))
    assert record.load(path) == taken(tmp_path)
    assert path.stat().st_mode & 0o077 == 0
    assert [one.name for one in path.parent.iterdir()] == ["state.json"]


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"format": 2, "before": {}}', '{"format": 1, "before": {"x": {}}}']
)
def test_what_is_no_record_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "state.json").write_text(text)
    with pytest.raises(record.Damaged):
        record.load(tmp_path / "state.json")


def test_priorities_that_the_kernel_chose_are_not_asked_for_again(tmp_path: Path) -> None:
    table = tmp_path / "swaps"
    table.write_text("Filename Type Size Used Priority\n/a file 1 0 -2\n/b partition 1 0 5\n")
    assert swaps.look(str(table)) == {"/a": None, "/b": 5}


def test_only_new_packages_are_ours_to_remove() -> None:
    said = "Inst runc (1.1.5 Debian:12 [amd64])\nInst libc6 [2.36-9] (2.36-10 Debian)\nConf runc (1.1.5)\n"
    assert packages.NEW.findall(said) == ["runc"]


def test_every_kind_looks_and_puts_back() -> None:
    for kind in record.KINDS.values():
        assert all(callable(getattr(kind, name)) for name in ("keys", "look", "put_back"))


def test_a_record_is_json() -> None:
    assert json.loads(json.dumps(record.extended({}, {"groups": ["root"]}))) == {"groups": {"root": []}}
