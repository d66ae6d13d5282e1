"""WMT16: official archives become rows of subwords, once each step; what is no translation is left out or named."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import sentencepiece

from harness.datasets import official, prepared, translation, wmt16_en_de
from harness.datasets.sentence_rows import END, REFERENCES, SUBWORDS
from harness.errors import DataError
from suite.data import load
from tests import real_sets
from tests.harness.datasets.conftest import Serve
from tests.harness.datasets.official_layout import sgm, tar_gz

SOURCE = wmt16_en_de.SOURCE
ENGLISH = [f"the {a} of {b} sees {c}" for a in ("cat", "dog", "cow") for b in ("Rome", "Bonn") for c in "xyz"]
GERMAN = [
    f"die {a} von {b} sieht {c}" for a in ("Katze", "Dogge", "Kuh") for b in ("Rom", "Bonn") for c in "xyz"
]


def archives(folder: Path, english: list[str], german: list[str], tests: int = 3) -> translation.Translation:
    """The lines are in the last archive; the others have one pair each."""
    for corpus in SOURCE.corpora:
        last = corpus is SOURCE.corpora[-1]
        texts = {
            corpus.source: english if last else ENGLISH[:1],
            corpus.target: german if last else GERMAN[:1],
        }
        tar_gz(
            folder / corpus.archive,
            {name: "".join(f"{one}\n" for one in text).encode() for name, text in texts.items()},
        )
    members = {SOURCE.test.source: ENGLISH, SOURCE.test.target: GERMAN}
    tar_gz(
        folder / SOURCE.test.archive,
        {name: sgm("\n".join(text[:tests]).encode()) for name, text in members.items()},
    )
    return real_sets.as_official(replace(SOURCE, vocabulary=60, test_pairs=3), folder)  # type: ignore[return-value]


def prepare(folder: Path, *arguments: object) -> Path:
    return prepared.prepare(archives(folder, *arguments), folder)  # type: ignore[arg-type]


def texts(place: Path, array: np.ndarray) -> list[str]:
    model = sentencepiece.SentencePieceProcessor(model_file=str(place / SUBWORDS))
    return [model.decode([number for number in row if number > END]) for row in array.tolist()]


def test_real_news_are_read_again_pair_by_pair(
    real: Callable[[str], Path], home: Path, tmp_path: Path
) -> None:
    place = real_sets.translation(tmp_path, 4000, 2000)
    data = load(place)
    assert {array.shape[1] for array in data.train.values()} == {50}
    assert {array.shape for array in data.test.values()} == {(3003, 200)}
    assert len(data.train["source"]) == len(data.train["target"]) > 2000
    news = [
        (real("wmt16-en-de") / f"train.{one}").read_text(encoding="utf-8").split("\n") for one in ("en", "de")
    ]
    originals = {" ".join(pair).replace(" ", "") for pair in zip(*news, strict=True)}
    both = zip(texts(place, data.train["source"]), texts(place, data.train["target"]), strict=True)
    found = [" ".join(pair).replace(" ", "") in originals for pair in both]
    assert np.mean(found) > 0.97  # the others have a letter that the small vocabulary lacks
    assert (place / REFERENCES).read_bytes() == (real("wmt16-en-de") / "newstest2014.de").read_bytes()
    assert prepared.verify("wmt16-en-de")["files"].keys() == {REFERENCES, SUBWORDS}  # type: ignore[attr-defined]


def test_the_archives_are_fetched(home: Path, tmp_path: Path, serve: Serve) -> None:
    source = archives(tmp_path, ENGLISH, GERMAN)
    place = prepared.prepare(source, official.download(source, serve(tmp_path)))
    assert texts(place, load(place).train["source"]) == [ENGLISH[0], ENGLISH[0], *ENGLISH]
    assert texts(place, load(place).train["target"]) == [GERMAN[0], GERMAN[0], *GERMAN]


def test_empty_sides_and_pairs_that_are_too_long_or_unlike_are_left_out(home: Path, tmp_path: Path) -> None:
    odd = {"": "leer", "long": "Katze " * 60, "x": "xyz " * 12}
    place = prepare(tmp_path, [*odd, *ENGLISH, " "], [*odd.values(), *GERMAN, "leer"])
    assert texts(place, load(place).train["source"])[2:] == ENGLISH


def test_where_a_batch_ends_does_not_matter(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = load(prepare(tmp_path, ENGLISH, GERMAN)).train
    monkeypatch.setattr(translation, "PAIRS_AT_ONCE", 3)
    (home / "data" / "wmt16-en-de" / "manifest.json").unlink()
    again = load(prepare(tmp_path, ENGLISH, GERMAN)).train
    assert all(np.array_equal(whole[side], again[side]) for side in whole)


def test_a_long_sentence_of_the_test_keeps_its_end() -> None:
    cut = translation._cut([9] * 300 + [END])
    assert len(cut) == 200 and cut[-1] == END
    assert translation._cut([9, END]) == [9, END]


def test_the_vocabulary_is_learnt_from_as_many_pairs_as_allowed(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    learnt: list[str] = []
    learn = translation.subwords.learn

    def recorded(sentences: object, *arguments: object) -> None:
        learnt.extend(sentences)  # type: ignore[arg-type]
        learn(ENGLISH + GERMAN, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(translation.subwords, "learn", recorded)
    source = replace(archives(tmp_path, ENGLISH, GERMAN), sampled_pairs=10)
    prepared.prepare(source, tmp_path)
    assert learnt[:6] == [ENGLISH[0], GERMAN[0], ENGLISH[0], GERMAN[0], ENGLISH[2], GERMAN[2]]
    assert len(learnt) == 20


def test_a_second_call_learns_nothing_again_after_a_broken_one(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = archives(tmp_path, ENGLISH, GERMAN)
    with monkeypatch.context() as patched:
        patched.setattr(translation, "_encode", broken)
        with pytest.raises(KeyboardInterrupt):
            prepared.prepare(source, tmp_path)
    assert not prepared.is_prepared("wmt16-en-de")
    monkeypatch.setattr(translation.subwords, "learn", broken)
    monkeypatch.setattr(translation.member_streams, "unpack", broken)
    place = prepared.prepare(source, tmp_path)
    assert texts(place, load(place).train["source"])[2:] == ENGLISH
    assert sorted(one.name for one in (home / "data").iterdir()) == ["unfinished", "wmt16-en-de"]
    assert [one.name for one in (home / "data" / "unfinished").iterdir()] == ["wmt16-en-de.lock"]


def broken(*_: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((ENGLISH, GERMAN[:-1]), r"2\.source and .*2\.target have not as many lines"),
        ((ENGLISH, GERMAN, 2), r"newstest2014-deen-ref\.en\.sgm has 2 sentences and .* 2, not 3 both"),
    ],
)
def test_what_is_no_corpus_is_named_and_nothing_is_prepared(
    home: Path, tmp_path: Path, arguments: tuple[object, ...], words: str
) -> None:
    with pytest.raises(DataError, match=words):
        prepare(tmp_path, *arguments)
    assert not prepared.is_prepared("wmt16-en-de")
