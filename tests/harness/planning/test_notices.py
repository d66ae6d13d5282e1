"""What a campaign says before its first run."""

from __future__ import annotations

from harness.environments.choose import Choice
from harness.inventory import catalog
from harness.planning import notices, planner
from harness.planning.plan import Selection
from harness.records import Plan

SPECS = {name: one.spec for name, one in catalog.workloads().items()}


def planned(profile: str, *workloads: str) -> Plan:
    request = planner.PlanRequest(profile, Selection(workloads, (), ("train",)), 1, None, {})
    return planner.make_plan(request, Choice("virtualenv"))


def test_a_scaled_profile_names_every_change() -> None:
    (finding,) = notices.scaled_down(planned("quick", "cifar10_cnn", "svm"), SPECS)
    assert finding.code == "scaled-down"
    words = "cifar10_cnn (cifar10 to synthetic-cifar10, epochs 10 to 2, batch_size 64 to 32, infer_passes 4 to 8), "
    assert words in finding.message
    assert "svm (mnist to digits, epochs 1 to 30, infer_passes 1 to 30)" in finding.message


def test_a_setting_that_stays_is_not_named() -> None:
    (finding,) = notices.scaled_down(planned("quick", "malaria_cnn"), SPECS)
    assert finding.message.endswith("malaria_cnn (malaria to synthetic-malaria, epochs 10 to 1)")


def test_the_workloads_own_sizes_need_no_word() -> None:
    assert list(notices.scaled_down(planned("standard", "cifar10_cnn"), SPECS)) == []


def test_a_stand_in_for_a_data_set_is_named_with_the_remedy() -> None:
    plan = planned("standard", "mnist_cnn")
    assert list(notices.missing_data(plan, {"mnist_cnn": plan.treatments[0].dataset})) == []
    (finding,) = notices.missing_data(plan, {"mnist_cnn": "fashion_mnist"})
    assert finding.message.endswith("fashion_mnist is not prepared")
    assert finding.advice == "suite data fetch fashion_mnist"
