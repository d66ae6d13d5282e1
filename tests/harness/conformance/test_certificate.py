"""A certificate holds for the code that it was made of, is kept with campaigns, and missed aloud."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from harness import paths
from harness.conformance import asked, certificate, kept_proofs
from harness.conformance.asked import Asked, of
from harness.conformance.code import code_files, code_sha256
from harness.conformance.comparison import Checked
from harness.conformance.kept_proofs import Proof
from harness.errors import CampaignError, MissingPrerequisite
from harness.inventory import catalog
from harness.records import Treatment
from suite.runtimes import implementation_module

EXACTLY = Asked("mnist_cnn", "exact")
PASSED = Checked(check="outputs", value=1e-15, tolerance=1e-12)
FAILED = Checked(check="outputs", value=1e-3, tolerance=1e-12)


def proof(
    name: str = "torch",
    version: str = "2.13.0",
    check: Checked = PASSED,
    code: str = "",
    mode: str = "default",
    asked: Asked = EXACTLY,
) -> Proof:
    return Proof(
        workload="mnist_cnn",
        framework=name,
        version=version,
        device="cpu",
        kind=asked.kind,
        dtype="float64",
        dataset=asked.dataset,
        settings=asked.settings,
        mode=mode,
        mode_in_force={"torch": "eager", "jax": "scan"}.get(name, "graph") if mode == "default" else mode,
        reference="torch 2.13.0",
        isolation="virtualenv",
        code_sha256=code or code_sha256("mnist_cnn", name),
        created="2026-01-02T03:04:05+00:00",
        checks=(check,),
    )


def proofs(
    name: str, version: str, mode: str = "default", check: Checked = PASSED, code: str = ""
) -> list[Proof]:
    """Of all kinds, as `treatment` without settings needs them."""
    kinds = of(treatment(name, version))
    return [proof(name, version, check, code, mode, one) for one in kinds]


def treatment(name: str, version: str, workload: str = "mnist_cnn", **settings: str) -> Treatment:
    return Treatment(
        workload=workload, framework=name, version=version, stage="train", dataset="digits", settings=settings
    )


TORCH, JAX = treatment("torch", "2.13.0"), treatment("jax", "0.10.2")


BOTH = [*proofs("torch", "2.13.0"), *proofs("jax", "0.10.2")]


def test_what_was_proven_is_not_missed(home: Path) -> None:
    certificate.save(BOTH)
    assert certificate.unproven([TORCH, JAX], certificate.load()) == []
    assert list(certificate.findings([TORCH, JAX], certificate.load())) == []


PLACES = (("jax", "0.10.2"), ("torch", "2.13.0"))


@pytest.mark.parametrize(
    "found",
    [
        [],
        proofs("jax", "0.9.2"),
        proofs("jax", "0.10.2", check=FAILED),
        proofs("jax", "0.10.2", code="of another time"),
        *([one for place, one in enumerate(proofs("jax", "0.10.2")) if place != left] for left in range(3)),
    ],
)
def test_another_version_a_failure_older_code_or_a_kind_less_proves_nothing(found: list[Proof]) -> None:
    assert certificate.unproven([TORCH, JAX], [*proofs("torch", "2.13.0"), *found]) == [
        "mnist_cnn jax 0.10.2"
    ]
    (finding,) = certificate.findings([TORCH, JAX], [*proofs("torch", "2.13.0"), *found])
    assert (finding.code, finding.severity) == ("not-verified", "warning")


def missing_kinds(pair: list[Treatment]) -> set[str]:
    return {one.kind for several in certificate.missing(pair, BOTH).values() for one in several}


@pytest.mark.parametrize(
    ("settings", "kinds"),
    [
        ({"precision": "bf16"}, {"own"}),
        ({"optimizer": "adam"}, {"own"}),
        ({"depth": "101"}, {"own"}),
        ({"batch_size": "64"}, {"own", "long"}),  # and so other steps an epoch
        ({"epochs": "30"}, {"own", "long"}),
        ({"infer_passes": "2"}, set()),
    ],
)
def test_other_settings_need_the_proofs_that_depend_on_them(
    settings: dict[str, str], kinds: set[str]
) -> None:
    pair = [treatment(*place, **settings) for place in PLACES]
    unproven = ["mnist_cnn jax 0.10.2", "mnist_cnn torch 2.13.0"]
    assert certificate.unproven(pair, BOTH) == (unproven if kinds else [])
    assert missing_kinds(pair) == kinds


def test_the_rate_of_a_server_s_requests_needs_no_proof_of_its_own_its_slots_do() -> None:
    def asked_for(**settings: Any) -> set[str]:
        found = asked.of(
            Treatment(
                workload="llm",
                framework="jax",
                version="0.10.2",
                stage="serve",
                dataset="synthetic-wikitext",
                settings={"size": "tiny", "predict_batch_size": 8, "arrivals_per_step": 0.1} | settings,
            )
        )
        return {one.settings for one in found}

    assert asked_for() == asked_for(arrivals_per_step=0.5)
    assert asked_for() != asked_for(predict_batch_size=4)


def test_another_data_set_needs_them_as_well() -> None:
    fashion = [one.model_copy(update={"dataset": "fashion_mnist"}) for one in (TORCH, JAX)]
    assert missing_kinds(fashion) == {"own", "long"}


def test_workloads_that_lack_the_same_proofs_share_their_words() -> None:
    plan = [treatment(*place, name) for name in ("mnist_cnn", "resnet") for place in PLACES]
    (finding,) = certificate.findings(plan, ())
    assert finding.message.endswith(": mnist_cnn, resnet on jax 0.10.2, torch 2.13.0")
    (finding,) = certificate.findings(plan, BOTH)
    assert finding.message.endswith(": resnet on jax 0.10.2, torch 2.13.0")


def test_a_mode_is_proven_by_its_own_proof_or_by_that_of_the_default_that_is_it() -> None:
    in_modes = [treatment("torch", "2.13.0", mode="eager"), treatment("jax", "0.10.2", mode="jit")]
    assert certificate.unproven(in_modes, BOTH) == ["mnist_cnn jax 0.10.2 in mode jit"]
    in_jit = proofs("jax", "0.10.2", "jit")
    assert certificate.unproven(in_modes, [*BOTH, *in_jit]) == []
    assert certificate.unproven([TORCH, JAX], [*proofs("torch", "2.13.0"), *in_jit]) == [
        "mnist_cnn jax 0.10.2"
    ]
    against = [proof(mode="compile").against, *(one.against for one in BOTH[:2])]
    assert against == ["torch 2.13.0", "itself, the reference", "its own single steps"]


def test_what_is_compared_with_no_other_needs_no_proof() -> None:
    assert certificate.unproven([TORCH], ()) == []
    assert certificate.unproven([treatment("sklearn", v, "svm") for v in ("1.9.0", "1.9.1")], ()) == []


def test_what_nobody_can_prove_is_said() -> None:
    (finding,) = certificate.unprovable([treatment("sklearn", v, "svm") for v in ("1.9.0", "1.9.1")])
    assert (finding.code, finding.severity) == ("one-implementation", "warning")
    assert finding.message.endswith(": svm by sklearn 1.9.0, sklearn 1.9.1")
    assert list(certificate.unprovable([treatment("sklearn", "1.9.1", "svm"), TORCH, JAX])) == []
    assert not asked.provable("svm") and asked.provable("mnist_cnn")


def test_modes_and_versions_of_one_framework_are_compared_too() -> None:
    """Another mode is another loop, another version another library."""
    versions = [TORCH, treatment("torch", "2.12.0")]
    assert certificate.unproven(versions, ()) == ["mnist_cnn torch 2.12.0", "mnist_cnn torch 2.13.0"]
    modes = [treatment("torch", "2.13.0", mode=mode) for mode in ("eager", "compile")]
    assert certificate.unproven(modes, ()) == [
        f"mnist_cnn torch 2.13.0 in mode {one}" for one in ("eager", "compile")
    ]


def test_a_new_proof_takes_the_place_of_the_older_one(home: Path) -> None:
    certificate.save([proof(check=FAILED), proof("jax", "0.10.2")])
    certificate.save([proof()])
    assert [one.passed for one in certificate.load()] == [True, True]
    assert len(certificate.load()) == 2


def test_a_campaign_keeps_what_holds_for_its_treatments(home: Path, tmp_path: Path) -> None:
    certificate.save([proof(), proof("jax", "0.10.2"), proof("keras", "3.15.1", FAILED)])
    certificate.keep(tmp_path, [TORCH, treatment("keras", "3.15.1")], {"virtualenv"})
    assert [one.framework for one in kept_proofs.of_campaign(tmp_path)] == ["torch"]
    assert kept_proofs.of_campaign(tmp_path / "nowhere") == ()


def test_a_damaged_certificate_is_said_of_a_campaign_and_made_anew_at_home(
    home: Path, tmp_path: Path
) -> None:
    for path in (paths.certificate(), tmp_path / kept_proofs.CERTIFICATE_FILE):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("[{")
    assert certificate.load() == ()
    with pytest.raises(CampaignError, match="is damaged"):
        kept_proofs.of_campaign(tmp_path)


def test_the_code_of_a_proof_is_spec_implementation_runtimes_and_what_all_share() -> None:
    assert code_sha256("mnist_cnn", "torch") != code_sha256("mnist_cnn", "jax")
    named = {
        str(path.relative_to(paths.SUITE))
        for path in code_files("mnist_cnn", "keras-jax")
        if path.is_relative_to(paths.SUITE)
    }
    runtimes = {f"runtimes/{name}_runtime.py" for name in ("keras_jax", "jax")}
    assert named >= {"mnist_cnn/keras_impl.py", "mnist_cnn/spec.py", "trainers/keras_trainer.py", *runtimes}
    assert "mnist_cnn/jax_impl.py" not in named
    assert code_sha256("mnist_cnn", "torch") == code_sha256("mnist_cnn", "torch")


def test_another_lock_or_another_bound_needs_another_proof() -> None:
    """A library below a framework may change while the framework's own version stays; so may what is allowed."""
    names = {str(path.relative_to(paths.ROOT)) for path in code_files("mnist_cnn", "keras-jax")}
    assert any(name.startswith("images/keras-jax/") and name.endswith(".lock") for name in names)
    assert {f"harness/conformance/{name}.py" for name in ("tolerances", "comparison")} <= names


def test_a_proof_without_checks_has_proven_nothing() -> None:
    assert not proof("jax", "0.10.2").model_copy(update={"checks": ()}).passed


def test_of_proofs_that_are_saved_at_once_none_is_lost(home: Path) -> None:
    several = [proof("jax", f"0.{number}") for number in range(12)]
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda one: certificate.save([one]), several))
    assert {one.version for one in certificate.load()} == {one.version for one in several}


def test_a_folder_in_place_of_the_certificate_is_one_line(home: Path) -> None:
    paths.certificate().mkdir(parents=True)
    with pytest.raises(MissingPrerequisite, match=r"cannot be read .*remove it"):
        certificate.load()


def test_a_treatment_by_itself_keeps_its_proofs_for_a_comparison_with_another_campaign(
    home: Path, tmp_path: Path
) -> None:
    certificate.save(BOTH)
    certificate.keep(tmp_path, [JAX], {"virtualenv"})
    assert {(one.framework, one.kind) for one in kept_proofs.of_campaign(tmp_path)} == {
        ("jax", kind) for kind in ("exact", "long", "own")
    }


def test_what_can_be_proven_are_the_workloads_that_frameworks_implement_in_two_ways() -> None:
    """`provable` counts the implementations without asking the catalogue, which knows the environments."""
    for name, one in catalog.workloads().items():
        several = {implementation_module(name, framework) for framework in one.frameworks}
        assert asked.provable(name) == (len(several) > 1), name
    assert not asked.provable("nobody's")
