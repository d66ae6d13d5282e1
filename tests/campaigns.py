"""Builds small, real campaigns on disk, through the store, from a few numbers: for every test that reads one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from harness import store
from harness.conformance import asked, certificate
from harness.conformance.comparison import Checked
from harness.conformance.kept_proofs import CERTIFICATE_FILE, Proof
from harness.records import (
    CampaignRecord,
    Channel,
    ChannelKind,
    Finding,
    Outcome,
    Plan,
    PlannedRun,
    PowerModel,
    Profiler,
    Provenance,
    Purpose,
    RunRecord,
    Skipped,
    TaskRecord,
    Treatment,
    Unavailable,
)  # fmt: skip
from harness.worker.events import EVENTS_FILE
from suite.fingerprint import of_outputs
from suite.protocol import CONTROL

NS = 1_000_000_000
MOMENT_NS = 50_000
WRAPS_AT = 262_143.328850  # J, the range of many Intel package zones
START_J = WRAPS_AT - 5.0  # so that the package counter wraps within the first seconds
VERSIONS = {"torch": "2.13.0", "tensorflow": "2.21.0", "keras": "3.15.1", "jax": "0.10.2", "sklearn": "1.9.1"}
TEXT = np.random.default_rng(1).integers(1, 100, (8, 17))
METERS = ("rapl", "simulated", "estimate", None)
SHARES = {"import": 0.15, "load": 0.03, "build": 0.02, "compile": 0.1, "teardown": 0.05}  # of a run's seconds
REASONS = {Outcome.FAILED: "the worker ended with exit code 1", Outcome.INVALID: "a sampling gap of 4.2 s"}
WORK = {"parameters": 268_362, "flops_per_step": 25_000_000_000, "data_bytes": 1_423_224}


@dataclass(frozen=True)
class Recipe:
    """What a campaign is made of. `seconds` of the measured window are scaled by each framework's factor.

    A framework is named as on the command line, "tensorflow" or "tensorflow@2.20.0". `meter`: "rapl", "simulated",
    "estimate" or None (no energy channel). `outcomes`: (framework, block) -> outcome of a run that does not count.
    `meters`: framework -> meter, where they shall differ.
    """

    frameworks: Mapping[str, float] = field(default_factory=lambda: {"torch": 1.0, "tensorflow": 1.3})
    blocks: int = 3
    watts: float = 40.0
    dram_watts: float = 4.0
    ripple: float = 0.0  # relative standard deviation of the power from reading to reading
    seconds: float = 3.0
    noise: float = 0.01
    seed: int = 1
    meter: str | None = "rapl"
    meters: Mapping[str, str | None] = field(default_factory=dict)
    workload: str = "mnist_cnn"
    more_workloads: tuple[str, ...] = ()
    dataset: str = "digits"
    stages: tuple[str, ...] = ("train",)
    settings: tuple[Mapping[str, Any], ...] = ({},)  # each of them with each framework
    epochs: int = 3
    period_s: float = 0.1
    isolation: str = "virtualenv"
    outcomes: Mapping[tuple[str, int], Outcome] = field(default_factory=dict)
    reason: str | None = None
    findings: tuple[Finding, ...] = ()
    run_findings: tuple[Finding, ...] = ()
    findings_every: int = 1  # so many runs lie from one that carries them to the next
    skipped: tuple[Skipped, ...] = ()
    unavailable: tuple[Unavailable, ...] = ()
    with_quality: bool = True
    prepare: bool = False
    unfinished: int = 0  # so many planned runs at the end are left out
    machine: Mapping[str, Any] = field(default_factory=lambda: dict(MACHINE))
    proven: bool = True  # a certificate covers what is compared, where there can be one
    work: Mapping[str, int | None] = field(default_factory=dict)  # counts that are not the usual
    fingerprints: bool = True  # each run tells what it computed: the same of one `weights`
    weights: float = 1.0  # a number that stands for them
    environments: Mapping[str, str] = field(
        default_factory=dict
    )  # framework -> hash of its lock, where not the usual
    identity: str = ""  # as in campaigns of before
    suite_sha256: str = "cd" * 32
    data_sha256: str = "ef" * 32  # of what the data set holds; empty: not told, as in campaigns of before
    plan_seed: int = 1  # of the plan; `seed` is that of the noise
    session: float = 1.0  # what all runs take in times of the usual
    apart: Mapping[tuple[str, str], float] = field(
        default_factory=dict
    )  # (workload, framework) -> what it takes in times of the framework's usual
    task: TaskRecord | None = None  # as the campaign keeps it; None: a campaign of before, which keeps none
    qualities: Mapping[str, float] = field(
        default_factory=dict
    )  # metric -> value, in place of accuracy and its like
    units: Mapping[str, int] = field(default_factory=dict)  # of work that each run tells, beside its samples
    batches: int = 4  # of a pass of a stage that the task tells parts of
    passes: int = 2
    parts: Mapping[str, float] = field(default_factory=dict)  # part -> its share of such a stage's seconds
    gpu_bytes: Mapping[str, int] = field(default_factory=dict)  # framework -> peak that it tells of its GPU
    requests: int = 0  # of each pass of such a stage, whose stamps are told
    texts: Mapping[str, np.ndarray] = field(default_factory=dict)  # tokens [n, length], where not the usual
    told: Mapping[str, Any] = field(default_factory=dict)  # facts beside the usual
    profile_runs: int = 0  # of each treatment under a profiler, after all blocks
    profiled: Mapping[str, Any] = field(default_factory=dict)  # what the recipe is for these
    profile_tools: tuple[Profiler | None, ...] = (None,)  # under each of which they are made; None: py-spy
    control_s: float | None = None  # what the control work before each block takes; None: there is none

    def meter_of(self, framework: str) -> str | None:
        return self.meters.get(framework, self.meter)

    def name_of(self, treatment: Treatment) -> str:
        """What the recipe calls a treatment's framework."""
        named = f"{treatment.framework}@{treatment.version}"
        return named if named in self.frameworks else treatment.framework


MACHINE = {
    "machine_id": "0123456789abcdef0123456789abcdef", "cpu_model": "Example CPU @ 3.0 GHz", "logical_cpus": 8,
    "memory_bytes": 16_000_000_000, "kernel": "6.8.0", "os": "Debian GNU/Linux 13", "python": "3.11.9",
}  # fmt: skip


def build(folder: Path, recipe: Recipe | None = None) -> store.Campaign:
    """Writes the campaign to an empty folder and loads it again."""
    recipe = recipe or Recipe()
    generator = np.random.default_rng(recipe.seed)
    record = campaign_record(recipe, generator)
    store.create_campaign(folder, record)
    if recipe.proven and (proofs := list(proofs_of(record.plan.treatments, recipe.isolation))):
        (folder / CERTIFICATE_FILE).write_text(certificate.dumps(proofs))
    at_ns = 1000 * NS
    for planned in record.order[: len(record.order) - recipe.unfinished]:
        of_it = replace(recipe, **recipe.profiled) if planned.purpose == Purpose.PROFILE else recipe
        at_ns = write_run(folder, of_it, planned, generator, at_ns)
    return store.load_campaign(folder)


def campaign_record(recipe: Recipe, generator: np.random.Generator) -> CampaignRecord:
    treatments = tuple(
        Treatment(
            workload=workload, framework=name, version=version or VERSIONS.get(name, "1.0"), stage=stage,
            dataset=recipe.dataset, settings=dict(settings),
        )
        for workload in (recipe.workload, *recipe.more_workloads)
        for stage in recipe.stages
        for settings in recipe.settings
        for name, _, version in (word.partition("@") for word in recipe.frameworks)
    )  # fmt: skip
    return CampaignRecord(
        campaign_id="2026-01-02-test",
        identity=recipe.identity,
        created="2026-01-02T03:04:05+00:00",
        plan=plan(recipe, treatments),
        order=tuple(order(recipe, treatments, generator)),
        isolation=recipe.isolation,
        machine=dict(recipe.machine),
        channels=channels(recipe.meter),
        suite_sha256=recipe.suite_sha256,
        datasets={recipe.dataset: recipe.data_sha256} if recipe.data_sha256 else {},
        unavailable=recipe.unavailable,
        findings=recipe.findings,
        tasks={name: recipe.task for name in (recipe.workload, *recipe.more_workloads)}
        if recipe.task
        else {},
    )


def proofs_of(treatments: Iterable[Treatment], isolation: str) -> Iterable[Proof]:
    """Of all that has to be proven of what is compared; as suite run keeps them."""
    passed = Checked(check="outputs", value=1e-15, tolerance=1e-12)
    for (framework, version, device), several in asked.all_of(treatments).items():
        for one in several:
            yield Proof(
                **vars(one), framework=framework, version=version, device=device, dtype="float64",
                reference="torch 2.13.0", isolation=isolation, code_sha256="ab" * 32,
                created="2026-01-02T03:04:05+00:00", checks=(passed,),
            )  # fmt: skip


def plan(recipe: Recipe, treatments: tuple[Treatment, ...]) -> Plan:
    return Plan(
        profile="quick", treatments=treatments, skipped=recipe.skipped, repetitions=recipe.blocks,
        seed=recipe.plan_seed, control_rounds=100_000 if recipe.control_s else 0,
        sample_period_s=recipe.period_s, baseline_s=0.0, run_timeout_s=600.0,
        power_model=PowerModel(idle_w=10.0, busy_cpu_w=8.0), expected_run_s=recipe.seconds,
        profile_runs=recipe.profile_runs,
    )  # fmt: skip


def order(
    recipe: Recipe, treatments: tuple[Treatment, ...], generator: np.random.Generator
) -> Iterable[PlannedRun]:
    """Block 0 prepares where asked; then every block holds every treatment once, in random order; some are profiled."""
    for block in range(0 if recipe.prepare else 1, recipe.blocks + recipe.profile_runs + 1):
        if 0 < block <= recipe.blocks and recipe.control_s:
            yield control(treatments[0], block)
        purpose = "profile" if block > recipe.blocks else "measure" if block else "prepare"
        drawn = range(len(treatments)) if purpose == "profile" else generator.permutation(len(treatments))
        for position, treatment in enumerate(treatments[index] for index in drawn):
            slug = re.sub(r"[^a-z0-9.]+", "-", f"{recipe.name_of(treatment)}-{treatment.stage}".lower())
            for tool in recipe.profile_tools if purpose == "profile" else (None,):
                yield PlannedRun(
                    run_id=f"{block:03d}-{position:03d}-{slug}{f'-{tool}' if tool else ''}", block=block,
                    position=position, repetition=block, treatment=treatment, purpose=purpose, profiler=tool,
                )  # fmt: skip


def control(host: Treatment, block: int) -> PlannedRun:
    """As harness.planning.plan orders it: the same work, before each block."""
    more = {"workload": CONTROL, "stage": CONTROL, "settings": {"rounds": 100_000}}
    return PlannedRun(
        run_id=f"{block:03d}-{CONTROL}", block=block, position=0, repetition=block, purpose=CONTROL,
        treatment=host.model_copy(update=more),
    )  # fmt: skip


def channels(meter: str | None) -> tuple[Channel, ...]:
    process = (
        channel("process/cpu_time", "process", "s", "process"),
        channel("process/memory_peak", "process", "bytes", "process", kind=ChannelKind.GAUGE),
    )
    return (*energy_channels(meter), *process)


def energy_channels(meter: str | None) -> tuple[Channel, ...]:
    if meter == "estimate":
        note, kind = "10 W idle + 8 W per busy logical CPU", Provenance.ESTIMATED
        return (channel("estimate/cpu", "estimate", "J", "cpu_model", kind, boundary=True, note=note),)
    if meter is None:
        return ()
    provenance = Provenance.SIMULATED if meter == "simulated" else Provenance.MEASURED
    return (
        channel("rapl/package-0", "rapl", "J", "cpu_package", provenance, boundary=True, wraps_at=WRAPS_AT),
        channel(
            "rapl/package-0/dram", "rapl", "J", "dram", provenance, boundary=True, wraps_at=65_712.999613
        ),
    )


def channel(
    name: str, meter: str, unit: str, domain: str, provenance: Provenance = Provenance.MEASURED,
    kind: ChannelKind = ChannelKind.COUNTER, **more: Any,
) -> Channel:  # fmt: skip
    return Channel(name=name, meter=meter, unit=unit, kind=kind, provenance=provenance, domain=domain, **more)


def write_run(
    folder: Path, recipe: Recipe, planned: PlannedRun, generator: np.random.Generator, start_ns: int
) -> int:
    """Writes one run that starts at start_ns; returns when the next one may start."""
    name = recipe.name_of(planned.treatment)
    outcome = recipe.outcomes.get((name, planned.block), Outcome.OK)
    usual_s = (
        recipe.seconds * recipe.frameworks[name] * recipe.apart.get((planned.treatment.workload, name), 1.0)
    )
    if planned.purpose == CONTROL:
        usual_s, outcome = recipe.control_s or 0.0, Outcome.OK
    measured_s = usual_s * recipe.session * float(np.exp(generator.normal(0, recipe.noise)))
    watts = recipe.watts * float(np.exp(generator.normal(0, recipe.noise)))
    go_ns = start_ns + round(0.4 * NS)
    done_ns = go_ns + round(measured_s * NS)
    exit_ns = done_ns + round(0.25 * NS)
    apart = folder / store.UNFINISHED / planned.run_id
    apart.mkdir()
    write_events(apart, recipe, planned, (go_ns, done_ns), outcome)
    (apart / store.CONSOLE_FILE).write_text("")
    meter = recipe.meter_of(name)
    record = RunRecord(
        campaign_id="2026-01-02-test", planned=planned, isolation=recipe.isolation,
        environment=environment(recipe, planned.treatment), started="2026-01-02T03:04:05+00:00", start_ns=start_ns,
        ready_ns=go_ns - round(0.1 * NS), go_ns=go_ns, done_ns=done_ns if outcome is not Outcome.FAILED else None,
        exit_ns=exit_ns, exit_code=1 if outcome is Outcome.FAILED else 0, outcome=outcome,
        reason="" if outcome is Outcome.OK else recipe.reason or REASONS[outcome], channels=channels(meter),
        sampler_cpu_s=0.02, campaign_identity=recipe.identity,
        findings=() if planned.position % recipe.findings_every else recipe.run_findings,
    )  # fmt: skip
    samples = readings(recipe, meter, watts, (start_ns, exit_ns))
    samples.to_parquet(apart / store.SAMPLES_FILE, index=False)
    store.store_run(folder, apart, record)
    return exit_ns + NS


def environment(recipe: Recipe, treatment: Treatment) -> dict[str, Any]:
    packages = {treatment.framework: treatment.version, "numpy": "2.4.6"}
    lock = recipe.environments.get(recipe.name_of(treatment), "ab" * 32)
    return {"python": "3.11.9", "packages": packages, "lock_sha256": lock}


def readings(recipe: Recipe, meter: str | None, watts: float, window: tuple[int, int]) -> pd.DataFrame:
    """Samples from before the start to after the end, every period; power is constant but for the ripple."""
    period_ns = round(recipe.period_s * NS)
    t_ns = np.arange(window[0] - period_ns, window[1] + 2 * period_ns, period_ns, dtype=np.int64)
    age_s = (t_ns - t_ns[0]) / NS
    rippling_s = age_s + recipe.period_s * recipe.ripple * rippled(t_ns)
    peak = 5e8 + 4096 * ((window[1] - window[0]) // 1000 % 97 if recipe.noise else 0)  # pages more or less
    series = {"process/cpu_time": 0.9 * age_s, "process/memory_peak": peak + 1e6 * np.minimum(age_s, 2.0)}
    if meter == "estimate":
        series["estimate/cpu"] = watts * (t_ns[0] / NS + rippling_s)
    elif meter is not None:
        series["rapl/package-0"] = np.mod(START_J + watts * rippling_s, WRAPS_AT)
        series["rapl/package-0/dram"] = np.mod(100.0 + recipe.dram_watts * rippling_s, 65_712.999613)
    parts = [pd.DataFrame({"t_ns": t_ns, "channel": name, "value": v}) for name, v in series.items()]
    return pd.concat(parts).sort_values("t_ns", kind="stable").astype({"channel": "category"})


def rippled(t_ns: np.ndarray) -> np.ndarray:
    """What a power that varies adds up to, in readings: zero at both ends, the same for the same times."""
    steps = np.random.default_rng(int(t_ns[0])).normal(0, 1, len(t_ns))
    walk = np.cumsum(steps) - steps[0]
    return walk - walk[-1] * np.linspace(0, 1, len(walk))


def write_events(
    folder: Path, recipe: Recipe, planned: PlannedRun, window: tuple[int, int], outcome: Outcome
) -> None:
    events = [{"t_ns": window[0] - 100_000_000, "kind": "ready", "pid": 1}]
    if outcome is Outcome.FAILED:
        error = {"t_ns": window[1], "kind": "failed", "error": recipe.reason or REASONS[outcome]}
        events += [*phase("import", window[0], window[0] + 1000), error]
    else:
        events += worker_events(recipe, planned, *window)
    text = "".join(json.dumps(event) + "\n" for event in events)
    (folder / EVENTS_FILE).write_text(text)


def worker_events(recipe: Recipe, planned: PlannedRun, go_ns: int, done_ns: int) -> list[dict[str, Any]]:
    """As suite.run sends them; the stage takes what the SHARES leave over, less 2 % outside every phase."""
    if planned.purpose == CONTROL:
        done = {"t_ns": done_ns, "kind": "done"}
        rested = go_ns + (done_ns - go_ns) // 10
        return [*phase("idle", go_ns, rested), *phase("work", rested, done_ns), done]
    whole, at, events = done_ns - go_ns, go_ns, list[dict[str, Any]]()
    for name in ("import", "load", "build", "compile"):
        events += phase(name, at, at := at + round(SHARES[name] * whole))
    stage_ns = round((0.98 - sum(SHARES.values())) * whole)
    stage = training if planned.treatment.stage == "train" else serving if recipe.parts else inference
    events += stage(recipe, planned, at, stage_ns)
    at += stage_ns
    events += phase("teardown", at, at := at + round(SHARES["teardown"] * whole))
    framework, version = planned.treatment.framework, planned.treatment.version
    facts = {"t_ns": at, "kind": "facts", "python": "3.11.9", "framework": framework, "version": version}
    facts |= recipe.told
    facts["mode"] = planned.treatment.settings.get("mode", "eager")
    usage = {"t_ns": at, "kind": "usage", "cpu_s": 1.5, "memory_peak_bytes": 400_000_000}
    usage |= {"gpu_memory_peak_bytes": of_gpus} if (of_gpus := recipe.gpu_bytes.get(framework)) else {}
    return [*events, facts, usage, {"t_ns": done_ns, "kind": "done"}]


def training(recipe: Recipe, planned: PlannedRun, at: int, stage_ns: int) -> list[dict[str, Any]]:
    """The first epoch takes as long as two others."""
    events, unit = list[dict[str, Any]](), stage_ns // (recipe.epochs + 1)
    for epoch in range(1, recipe.epochs + 1):
        each = 2 * unit if epoch == 1 else unit
        border = at + round(0.9 * each)
        events += phase("train", at, border, epoch) + phase("evaluate", border, at + each, epoch)
        events += metrics(recipe, planned, at + each, epoch)
        at += each
    told = [of_epoch(recipe, epoch) for epoch in range(1, recipe.epochs + 1)]
    work = {"t_ns": at, "kind": "work", "samples": 1437 * recipe.epochs, "steps": 33, **work_of(recipe)}
    return [*events, *fingerprint(recipe, at, epochs=told), work]


def inference(recipe: Recipe, planned: PlannedRun, at: int, stage_ns: int) -> list[dict[str, Any]]:
    end = at + stage_ns
    work = {"t_ns": end, "kind": "work", "samples": 360, "steps": 1, **work_of(recipe)}
    told = fingerprint(recipe, end, passes=[9.0 * recipe.weights], answers=answers(recipe))
    return [*phase("infer", at, end), *metrics(recipe, planned, end, None), *told, work]


def serving(recipe: Recipe, planned: PlannedRun, at: int, stage_ns: int) -> list[dict[str, Any]]:
    """Passes of which a tenth lies after the last part, outside every phase; of batches, each longer than the last.

    A moment lies between two phases, as the worker takes it to tell.
    """
    events, end, each = list[dict[str, Any]](), at + stage_ns, stage_ns // recipe.passes
    weights = [1 + 0.1 * batch**2 for batch in range(recipe.batches)]
    for begin in range(at, at + recipe.passes * each, each):
        border = begin
        for name, share in recipe.parts.items():
            for weight in weights:
                batch = round(0.9 * each * share * weight / sum(weights))
                events += phase(name, border, border + batch - MOMENT_NS)
                border += batch
        events += stamps(recipe, begin, border) if recipe.requests else []
    work = {"t_ns": end, "kind": "work", "samples": 360, "steps": recipe.passes, **work_of(recipe)}
    told = of_outputs({"tokens": recipe.texts.get(recipe.name_of(planned.treatment), TEXT)})
    prints = {"passes": recipe.passes * [{"tokens": told["tokens/items"]}], "answers": told}
    return [*events, *metrics(recipe, planned, end, None), *fingerprint(recipe, end, **prints), work]


def stamps(recipe: Recipe, begin_ns: int, end_ns: int) -> list[dict[str, Any]]:
    """Of requests that arrive in even distances, wait as long for a first token, and five times for the last."""
    gap_ns = (end_ns - begin_ns) // (recipe.requests + 5)
    arrived = [begin_ns + number * gap_ns for number in range(recipe.requests)]
    told = {"arrived_ns": 0, "first_token_ns": gap_ns, "last_token_ns": 5 * gap_ns}
    return [
        {
            "t_ns": end_ns,
            "kind": "requests",
            **{name: [at + wait for at in arrived] for name, wait in told.items()},
        }
    ]


def work_of(recipe: Recipe) -> dict[str, Any]:
    return {**WORK, **recipe.work, **({"units": dict(recipe.units)} if recipe.units else {})}


def fingerprint(recipe: Recipe, t_ns: int, **prints: Any) -> list[dict[str, Any]]:
    return [{"t_ns": t_ns, "kind": "fingerprint", **prints}] if recipe.fingerprints else []


def of_epoch(recipe: Recipe, epoch: int) -> dict[str, Any]:
    """As suite.fingerprint tells it."""
    loss = 2.0 * recipe.weights / epoch
    rows = {"steps": 11, "samples": 1437, "rows": f"{epoch:016x}"}
    return {"loss": loss, "first_losses": [loss], **rows, "answers": answers(recipe)}


def answers(recipe: Recipe) -> dict[str, float]:
    numbers = {"sum": 3.0, "norm": 40.0, "cross_entropy": 0.5, "projection": 9.0}
    return {name: value * recipe.weights for name, value in numbers.items()}


def metrics(recipe: Recipe, planned: PlannedRun, t_ns: int, epoch: int | None) -> list[dict[str, Any]]:
    """Accuracy rises with the epochs and falls by 0.1 with each block, so that kinds of means differ."""
    if not recipe.with_quality:
        return [{"t_ns": t_ns, "kind": "metrics", "epoch": epoch, "metric": "accuracy", "values": {}}]
    if recipe.qualities:
        values = {name: value * planned.block * (epoch or 1) for name, value in recipe.qualities.items()}
        name = next(iter(recipe.qualities))
        return [{"t_ns": t_ns, "kind": "metrics", "epoch": epoch, "metric": name, "values": values}]
    accuracy = 1 - 0.2 / (epoch or recipe.epochs) - 0.1 * (planned.block - 1)
    values = {"accuracy": accuracy, "precision": accuracy + 0.001, "recall": accuracy - 0.001, "f1": accuracy}
    loss = None if epoch is None else 0.9 / epoch
    event = {"t_ns": t_ns, "kind": "metrics", "epoch": epoch, "metric": "accuracy"}
    return [{**event, "values": {**values, "loss": loss}}]


def phase(name: str, begin_ns: int, end_ns: int, epoch: int | None = None) -> list[dict[str, Any]]:
    event = {"kind": "phase", "name": name, "epoch": epoch}
    return [{"t_ns": begin_ns, **event, "edge": "begin"}, {"t_ns": end_ns, **event, "edge": "end"}]
