"""Files of weights among what a user asks for: a checksum is a level of a setting, and a file lies somewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.conformance import asked
from harness.environments.choose import Choice
from harness.errors import UsageError
from harness.planning import plan_files, planner, pretrained
from harness.planning.plan import Selection, order
from harness.planning.planner import PlanRequest
from harness.records import Plan

ONE, OTHER = "0a" * 32, "1b" * 32
PROTOCOL = """
repetitions = 1
sample_period_s = 0.1
baseline_s = 1.0
run_timeout_s = 60.0
expected_run_s = 10.0
power_model = {idle_w = 10, busy_cpu_w = 8}
"""


def request(
    profile: str | Path = "quick",
    workloads: tuple[str, ...] = ("ssd",),
    named: tuple[str, ...] = (),
    stage: str = "train",
) -> PlanRequest:
    selection = Selection(workloads, ("torch",), (stage,))
    return PlanRequest(str(profile), selection, 1, None, {"torch": [""]}, pretrained=pretrained.parse(named))


def made(*words: object, **more: object) -> Plan:
    return planner.make_plan(request(*words, **more), Choice("virtualenv"))  # type: ignore[arg-type]


def own_plan(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "own.toml"
    path.write_text(PROTOCOL + text)
    return path


def levels(plan: Plan) -> list[object]:
    return [one.settings.get("pretrained") for one in plan.treatments]


def test_files_on_the_command_line_are_levels_and_their_places_are_in_no_plan() -> None:
    words = (f"{ONE}=/there/a=b.safetensors", f"{OTHER.upper()}=x")
    plan = made(named=words)
    assert levels(plan) == [ONE, OTHER]
    assert "safetensors" not in plan.model_dump_json() + "".join(run.model_dump_json() for run in order(plan))
    assert planner.weight_files(request(named=words)) == {
        ONE: Path("/there/a=b.safetensors"),
        OTHER: Path("x"),
    }


def test_weights_are_random_unless_a_file_is_asked_for() -> None:
    assert levels(made()) == [None]
    assert planner.weight_files(request()) == {}


def test_a_plan_names_checksums_as_levels_and_files_beside_itself_or_anywhere(tmp_path: Path) -> None:
    path = own_plan(
        tmp_path,
        f'settings.pretrained = ["", "{ONE}", "{OTHER}"]\n[weights]\n{ONE} = "a.safetensors"\n{OTHER} = "/b/c"\n',
    )
    assert levels(made(path)) == ["", ONE, OTHER]
    assert planner.weight_files(request(path)) == {ONE: tmp_path / "a.safetensors", OTHER: Path("/b/c")}


def test_the_command_line_comes_before_the_plan(tmp_path: Path) -> None:
    path = own_plan(tmp_path, f'settings.pretrained = ["{ONE}"]\nweights.{ONE} = "a"\n')
    assert levels(made(path, named=(f"{OTHER}=b",))) == [OTHER]
    assert planner.weight_files(request(path, named=(f"{OTHER}=b",))) == {OTHER: Path("b")}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            f'settings.pretrained = ["{ONE}"]',
            rf"no file is named for pretrained '{ONE}': add it to \[weights\] of",
        ),
        (f'weights.{ONE} = "a"', f"weights names a file for {ONE}, which is no level of pretrained"),
        ('settings.pretrained = ["resnet50"]\n', "no file is named for pretrained 'resnet50'"),
        (f'weights.{ONE[:-1]} = "a"', r"own\.toml, line 8: weights\.0a0a.*it must fit"),
        (f'weights.{ONE} = ""', r"own\.toml, line 8: weights\.0a0a"),
        (f'weights.{ONE} = "a\\u0000b"', r"own\.toml, line 8: weights\.0a0a"),
        (f"weights.{ONE} = 3", r"own\.toml, line 8: weights\.0a0a"),
        (f'weights.{ONE} = "a"\nweights.{ONE} = "b"', "is not TOML: Cannot overwrite a value"),
        (f'[settings]\npretrained = ["{ONE}"]\n[[weights]]\nfile = "a"', r"own\.toml, line 10: weights"),
    ],
)
def test_a_plan_whose_checksums_and_files_do_not_match_is_refused(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        made(own_plan(tmp_path, text))


@pytest.mark.parametrize(
    "word", ["", "x", "=x", ONE, f"{ONE}=", f"{ONE[1:]}=x", f"{ONE}0=x", f"x={ONE}", f"{ONE}:x"]
)
def test_an_option_that_is_no_checksum_and_file_says_where_to_get_it(word: str) -> None:
    with pytest.raises(
        UsageError, match=r"--pretrained takes SHA256=FILE, not .*: suite weights FILE prints it"
    ):
        pretrained.parse([word])


def test_one_checksum_is_that_of_one_file() -> None:
    with pytest.raises(UsageError, match=f"--pretrained names {ONE} twice"):
        pretrained.parse([f"{ONE}=a", f"{ONE.upper()}=b"])


def test_who_takes_no_weights_is_named_with_those_who_do() -> None:
    with pytest.raises(UsageError, match="mnist_cnn takes no pretrained weights: name those that do by -w, which are "
                                         "llm, mask_rcnn, resnet50_imagenet, ssd"):  # fmt: skip
        made(workloads=("ssd", "mnist_cnn"), named=(f"{ONE}=a",))


def test_inference_from_a_whole_network_needs_no_training_and_a_detector_s_does() -> None:
    stages = {
        name: [
            run.treatment.stage for run in order(made(workloads=(name,), named=(f"{ONE}=a",), stage="infer"))
        ]
        for name in ("resnet50_imagenet", "ssd")
    }
    blocks = planner.protocol("quick").repetitions
    assert stages == {"resnet50_imagenet": ["infer"] * blocks, "ssd": ["train", *["infer"] * blocks]}


def test_a_proof_is_of_the_code_whatever_the_weights() -> None:
    (random,), (given,) = (made(named=named).treatments for named in ((), (f"{ONE}=a",)))
    assert asked.of(random) == asked.of(given)


def test_a_plan_file_without_weights_has_none() -> None:
    assert plan_files.read("quick").weights == {}
