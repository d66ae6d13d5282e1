"""Every command, mistyped and misled: one line that names cause and remedy, exit code 2, nothing written."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from harness.cli import COMMANDS
from tests.campaigns import Recipe, build

Refused = Callable[..., str]
RUN = "001-000-torch-train"
SAMPLES = f"runs/{RUN}/samples.parquet"
CUT = "cut short"
LINUX = "[Errno"
PYDANTIC = ("Input should", "validation error", "Field required", "Extra inputs", "type=", "pydantic")
PLAN = """repetitions = 2
sample_period_s = 0.1
baseline_s = 1.0
run_timeout_s = 60.0
expected_run_s = 5.0
power_model = { idle_w = 10.0, busy_cpu_w = 8.0 }
"""

# Words, and what the one line must hold. {place}: a folder with sound and damaged campaigns, and plans.
MISTAKES = (
    ("rn", "did you mean 'run'?"),
    ("-x", "No such option '-x' (see: suite --help)"),
    ("run", "say what to run: --all"),
    ("run --epochz 3", "No such option '--epochz' (see: suite run --help)"),
    ("run -w svm -r x", "'x' is no whole number"),
    ("gate --refrence torch", "No such option '--refrence'; did you mean '--reference'? (see: suite gate --help)"),
    ("images list trch", "unexpected extra argument (trch) (see: suite images list --help)"),
    ("run --al", "did you mean '--all'? (see: suite run --help)"),
    ("run -w mnist_cn", "did you mean 'mnist_cnn'?"),
    ("run -f trch", "did you mean 'torch'?"),
    ("run --all -s trian", "did you mean 'train'?"),
    ("run --all --device cud", "did you mean 'cuda'?"),
    ("run --all --log-format jsn", "did you mean 'json'?"),
    ("run --all --environment dcker", "did you mean 'docker'?"),
    ("run --all --require rappl", "did you mean 'rapl'?"),
    ("run --all --profile quik", "did you mean 'quick'?"),
    ("run --all --profile {place}/none.toml", "none.toml does not exist; shipped plans are"),
    ("run --all --profile {place}/key.toml", "line 1: repetition: is not a key that the harness knows; did you mean"),
    ("run --all --profile {place}/inner.toml", "power_model.idle_wat: is not a key"),
    ("run --all --profile {place}/watts.toml", "power_model.idle_w: must be greater than or equal to 0"),
    ("run --all --profile {place}/word.toml", "repetitions: must be a whole number"),
    ("run -w mnist_mlp --until 2% -r 501 --dry-run", "-r 501: at most 500 blocks where each is looked at"),
    ("run -w svm -r 2 --budget 9min --reference no --dry-run", "--reference no: nothing is held against it"),
    ("verify mnist_mlp --kind exat", "did you mean 'exact'?"),
    (
        "export {place}/sound --format methods --price 0.3EUR/kWh --price-source x",
        "methods tells no emissions or money",
    ),
    ("run --resume {place}/sond", "did you mean '{place}/sound'?"),
    ("run --resume {place}/sound --all", "--resume carries out the plan of the campaign"),
    ("run --resume {place}/sound --budget 1min -o {place}/new", "in the campaign's own folder: leave out -o"),
    ("run --resume {place}/sound --profile quick --seed 1", "leave out --seed, --profile"),
    ("run --resume {place}/sound --device cpu --require docker", "leave out --device, --require"),
    ("run --resume {place}/sound --environment apptainer", "the campaign runs in virtualenv: leave out --environment"),
    ("run --resume {place}/json --dry-run", "no JSON from line 1"),
    ("status {place}/sond", "does not exist; did you mean '{place}/sound'?"),
    ("status {place}", "is not a campaign: it has no campaign.json"),
    ("status {place}/file", "is a file, and no campaign's folder"),
    ("status {place}/json", "campaign.json cannot be read: no JSON from line 1, column 22 on: cut short or altered;"),
    ("status {place}/list", "it holds no JSON object"),
    ("status {place}/word", "outcome: must be 'ok', 'failed', 'invalid' or 'not-applicable'"),
    ("status", "Missing argument 'FOLDER' (see: suite status --help)"),
    ("verify mnist_cn", "did you mean 'mnist_cnn'?"),
    ("verify --device cud", "did you mean 'cuda'?"),
    ("profile mnist_mlp --tool pyspy", "did you mean 'py-spy'?"),
    ("profile mnist_ml", "did you mean 'mnist_mlp'?"),
    ("report {place}/sond", "does not exist"),
    ("report {place}/sound --erors holm", "did you mean '--errors'? (see: suite report --help)"),
    ("report {place}/sound --errors holmes", "did you mean 'holm'?"),
    ("report {place}/sound --reference torhc", "did you mean 'torch'?"),
    ("report {place}/sound --margin 3", "is no share between 0 and 1; write it as 3% or 0.03"),
    ("report {place}/sound -o {place}/none/report.html", "cannot write {place}/none/report.html: No such file"),
    ("report {place}/sound -o {place}", "cannot write {place}: Is a directory; name another place with -o"),
    ("report {place}/samples", CUT),
    ("report {place}/empty", CUT),
    ("report {place}/proofs", "conformance.json is damaged: is no JSON"),
    ("report {place}/file", "is not a whole bundle: it is not packed as one"),
    ("report {place}/sound -w mnist_cnn", "tell a part of the campaign: name another place for it with -o"),
    ("report {place}/sound -w mnist_cn -o {place}/part.html", "did you mean 'mnist_cnn'?"),
    ("export {place}/sound -f torch", "tell a part of the campaign: name another place for it with -o"),
    ("export {place}/sound -f torch --format bundle", "a bundle holds the whole campaign"),
    ("compare {place}/sound -s trian", "did you mean 'train'?"),
    ("compare {place}/sound -f torch", "no ratio is of what -w, -f and -s name"),
    (
        "gate {place}/sound --max-increase 5% --reference torch --candidate tensorflow -f torch",
        "--candidate tensorflow is not what -f names: leave one of them out",
    ),
    ("gate {place}/sound --reference torch --max-increase 5% -f trch", "did you mean 'torch'?"),
    ("compare {place}/sond", "does not exist"),
    ("compare {place}/samples", CUT),
    ("compare {place}/run", "run.json cannot be read: no JSON from line 1"),
    ("compare {place}/sound --candidate tensorflw", "did you mean 'tensorflow'?"),
    ("compare {place}/sound --format jso", "did you mean 'json'?"),
    ("compare {place}/sound {place}/sound", "hold the same runs: name each campaign once"),
    ("compare {place}/sound {place}/other", "measured on different machines"),
    ("gate {place}/sound --max-increase 5%", "within one campaign a gate needs --reference"),
    ("gate {place}/sound --reference torch", "Missing option '--max-increase'"),
    ("gate {place}/sound --reference torch --max-increase 500", "is no share between 0 and 1"),
    ("gate {place}/sound --reference torch --max-increase 5% --quantity enrgy", "did you mean 'energy'?"),
    ("gate {place}/samples --reference torch --max-increase 5%", CUT),
    ("statistics {place}/sound --test signflip", "did you mean 'sign-flip'?"),
    ("statistics {place}/sound --rule tuky", "did you mean 'tukey'?"),
    ("statistics {place}/samples", CUT),
    ("export {place}/sound --format pgn", "did you mean 'png'?"),
    ("export {place}/sound -o {place}/file", "cannot write {place}/file/runs.csv"),
    ("export {place}/samples", CUT),
    ("export {place}/sound --format folded", "no run of the campaign tells its functions: suite profile"),
    ("merge {place}/sound -o {place}/new", "name at least two campaigns"),
    ("merge {place}/sound {place}/sond -o {place}/new", "does not exist"),
    ("merge {place}/sound {place}/json -o {place}/new", "no JSON from line 1"),
    ("plan shw", "Did you mean 'show'?"),
    ("plan show qick", "did you mean 'quick'?"),
    ("plan show {place}/none/plan.toml", "{place}/none/plan.toml does not exist"),
    ("plan show --boundary wal", "did you mean 'wall'?"),
    ("plan show --pretrained abc", "--pretrained takes SHA256=FILE"),
    ("power --noise 3%", "Missing option '--effect'"),
    ("power --noise 3 --effect 5%", "is no share between 0 and 1"),
    ("calibrate -w mnist_ml", "did you mean 'mnist_mlp'?"),
    ("calibrate -r 1", "1 is not in the range x>=3"),
    ("doctor --require engin", "did you mean 'engine'?"),
    ("host dif", "Did you mean 'diff'?"),
    ("host diff {place}/none", "does not exist: suite host snapshot writes one"),
    ("host snapshot -o {place}/file/x.json", "cannot write {place}/file/x.json"),
    ("images bild", "Did you mean 'build'?"),
    ("images build trch", "did you mean 'torch'?"),
    ("images bom torch@9", "unknown version of torch '9'"),
    ("data fetch minst", "did you mean 'mnist'?"),
    ("data fetch mnist --mirror here", "'here' is no address"),
    ("data import mnist {place}/none", "is missing: mnist consists of"),
    ("weights {place}/none", "does not exist"),
    ("weights {place}/file", "is not read"),
    ("meters --boundary rapl/x", "this machine has no rapl/x"),
    ("import codecarbn {place}/file -o {place}/new", "did you mean 'codecarbon'?"),
    ("import codecarbon {place}/none -o {place}/new", "no such file or folder"),
    ("import codecarbon {place}/sound --stage trian -o {place}/new", "did you mean 'train'?"),
    ("reproduce icse2", "did you mean 'icse22'?"),
    ("reproduce icse22 {place}/none", "no such file or folder"),
)  # fmt: skip


def written(path: Path, text: str | bytes) -> None:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())


def replaced(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


DAMAGES: dict[str, Callable[[Path], None]] = {
    "json": lambda one: written(one / "campaign.json", '{"format_version": 1,'),
    "list": lambda one: written(one / "campaign.json", "[]"),
    "run": lambda one: written(one / "runs" / RUN / "run.json", "{"),
    "word": lambda one: replaced(one / "runs" / RUN / "run.json", '"ok"', '"fine"'),
    "samples": lambda one: written(one / SAMPLES, (one / SAMPLES).read_bytes()[:-100]),
    "empty": lambda one: written(one / SAMPLES, b""),
    "proofs": lambda one: written(one / "conformance.json", "{"),
}
PLANS = {
    "key": PLAN.replace("repetitions", "repetition"),
    "inner": PLAN.replace("idle_w", "idle_wat"),
    "watts": PLAN.replace("10.0", "-10.0"),
    "word": PLAN.replace("= 2", '= "two"'),
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("place")
    build(folder / "sound", Recipe(meter="estimate"))
    build(folder / "other", Recipe(seed=2, machine={**Recipe().machine, "machine_id": "f" * 32}))
    for name, damage in DAMAGES.items():
        shutil.copytree(folder / "sound", folder / name)
        damage(folder / name)
    for name, text in PLANS.items():
        written(folder / f"{name}.toml", text)
    written(folder / "file", "x")
    return folder


@pytest.fixture(autouse=True)
def untouched(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What lies there, in the working directory and in the home, is after a mistake as it was before."""
    for name in ("work", "home"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("JOULEMARK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("DOCKER_HOST", "unix:///nonexistent/docker.sock")
    before = tree(place), tree(tmp_path)
    yield
    assert (tree(place), tree(tmp_path)) == before


def tree(folder: Path) -> dict[str, tuple[int, int]]:
    """Of every file and folder below, its size and when it was last changed."""
    return {
        str(path.relative_to(folder)): (path.lstat().st_size, path.lstat().st_mtime_ns)
        for path in [folder, *folder.rglob("*")]
    }


@pytest.mark.parametrize(("words", "line"), MISTAKES, ids=[words for words, _ in MISTAKES])
def test_a_mistake_is_one_line_that_names_cause_and_remedy(
    refused: Refused, place: Path, words: str, line: str
) -> None:
    told = refused(*words.format(place=place).split())
    assert line.format(place=place) in told
    assert not [odd for odd in (LINUX, "Traceback", *PYDANTIC) if odd in told]


def test_no_command_is_left_out() -> None:
    assert len(MISTAKES) >= 60
    assert {words.split()[0] for words, _ in MISTAKES} >= set(COMMANDS)
