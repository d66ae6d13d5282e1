"""The only entry point inside an environment: `python -m suite.run REQUEST_FOLDER OWN_FOLDER DATA_FOLDER [STATE]`."""

from __future__ import annotations

import importlib
import os
import platform
import re
import resource
import sys
import traceback
from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import Any, NoReturn

from suite.profilers import Profiled
from suite.protocol import (
    ANSWERS,
    CONTROL,
    EXIT_FAILED,
    PROOF,
    REHEARSAL,
    EventWriter,
    Lease,
    Request,
    output,
)
from suite.runtimes import implementation_module, runtime_module
from suite.task import SAMPLE, TRAIN

LONGEST_ERROR = 500  # characters
NAMES_AN_ERROR = re.compile(r"[\w.]*(Error|Exception): ")


def main(argv: list[str]) -> int:
    asked, folder, data_folder = (Path(word) for word in argv[:3])
    state_file = Path(argv[3]) if len(argv) > 3 else None
    request = Request.read(asked)
    lease = Lease(asked)
    events = EventWriter(folder)
    events.send("ready", pid=os.getpid())
    lease.wait_for_go()
    try:
        _work(request, events, folder, data_folder, state_file)
    except Exception as error:  # noqa: BLE001 - whatever a framework raises is this run's outcome
        traceback.print_exc()
        events.send("failed", error=error_told(error))
        return EXIT_FAILED
    events.send("done")
    lease.wait_for_bye()
    if request.profiler:
        _end_at_once()
    return 0


def _end_at_once() -> NoReturn:
    """Without freeing what a profiler recorded of every call: of GNMT's operators that took more than half a minute."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def error_told(error: Exception) -> str:
    """In one line: the first; where that only leads to another ("in user code:"), the last that names an error, too."""
    lines = (line.strip() for line in f"{type(error).__name__}: {error}".splitlines())
    first, *others = filter(None, lines)
    if first.endswith(":") and others:
        first = f"{first} {next(filter(NAMES_AN_ERROR.match, reversed(others)), others[0])}"
    return first[:LONGEST_ERROR]


def _work(
    request: Request, events: EventWriter, folder: Path, data_folder: Path, state_file: Path | None
) -> None:
    if request.stage == CONTROL:
        from suite import control

        return control.execute(request, events)
    if request.stage == PROOF:
        from suite import verify

        return verify.execute(request, folder, data_folder)
    run = MeasuredRun(request, events, folder, data_folder, state_file)
    return run.rehearse() if request.stage == REHEARSAL else run.execute()


class MeasuredRun:
    """One run, phase by phase."""

    def __init__(
        self, request: Request, events: EventWriter, folder: Path, data_folder: Path, state_file: Path | None
    ) -> None:
        self.request, self.events = request, events
        self.folder, self.data_folder, self.state_file = folder, data_folder, state_file
        self.profiled = Profiled(request.profiler, request.framework, request.device)
        self.for_judges: dict[str, Any] = {}
        self.slots: dict[str, int] = {}  # of a server, in all passes

    def rehearse(self) -> None:
        """What reads the disk, so that it lies in the page cache when it is measured."""
        with self.events.phase("import"):
            self._import()
        with self.events.phase("load"):
            self._load()

    def execute(self) -> None:
        self.rehearse()
        with self.events.phase("build"):
            self._build()
        with self.events.phase("compile"):
            self._compile()
        (self._train if self._trains else self._infer)()
        with self.events.phase("teardown"):
            self._finish()

    def _import(self) -> None:
        framework = self.request.framework
        self.runtime = importlib.import_module(runtime_module(framework))
        self.runtime.configure(self.request.threads, self.request.device)
        self.module = importlib.import_module(implementation_module(self.request.workload, framework))
        spec_module = importlib.import_module(f"suite.{self.request.workload}.spec")
        self.spec = spec_module.SPEC.with_dataset(self.request.dataset).with_settings(self.request.settings)

    def _load(self) -> None:
        from suite import data

        stored = data.load(self.data_folder, mapped=self.spec.mapped)
        self.raw, self.stored_bytes = self._asked_of(stored.cut(self.spec)), stored.size_bytes
        splits = self.raw.train, self.raw.test
        self.train_arrays, self.test_arrays = self.spec.of_both(*splits, self.request.dtype)

    def _asked_of(self, stored: Any) -> Any:
        """With the samples of the test set that the stage asks for: the first ones, or all of them over and over."""
        import numpy as np

        from suite.data import DataSet
        from suite.spec import count

        held = count(stored.test)
        answered = held if self._trains else self.spec.answered(held, self.request.stage)
        rows = slice(answered) if answered < held else np.arange(answered) % held
        test = {name: array[rows] for name, array in stored.test.items()}
        return stored if answered == held else DataSet(stored.train, test)

    def _build(self) -> None:
        self.impl = self.module.Impl(self.spec, self._weights(), self.request.dtype, self.request.device)
        self.asked = self.impl.place(self.spec.without_targets(self.test_arrays))
        self.taught = self.impl.place(self.train_arrays) if self._trains else None

    def _compile(self) -> None:
        self.impl.compile(self.asked, self.spec.evaluated_by if self._trains else self.request.stage)
        if self._trains:
            self.impl.compile(self.taught, TRAIN)

    @property
    def _trains(self) -> bool:
        return self.request.stage == TRAIN

    def _weights(self) -> Mapping[str, Any]:
        """Of which each array is drawn or read when it is asked for."""
        if self.state_file is None:
            if self.spec.pretrained:
                raise ValueError("it begins with the weights of a file, and was given none")
            return self.spec.initial_weights(self.request.seed)
        import numpy as np

        archive: Mapping[str, Any] = np.load(self.state_file, allow_pickle=False)
        return archive

    def _train(self) -> None:
        import numpy as np

        from suite import kept
        from suite.spec import count

        everything = np.arange(count(self.raw.test))
        epochs, taken = kept.Epochs(self.spec.classes_of(self.raw.test)), []
        for piece in range(1, self.spec.pieces + 1):
            order = self.spec.order(self.raw.train, self.request.seed, piece)
            with self.events.phase(TRAIN, piece), self.profiled.recording(piece):
                trained = self.impl.train(self.taught, order)
                _require_host(trained.losses, trained.rows)
            with self.events.phase("evaluate", piece):
                outputs = self.impl.infer(self.asked, everything, self.spec.evaluated_by)
                _require_host(*outputs.values())
            self._send_metrics(outputs, piece, trained.loss)
            epochs.add(trained, self.spec.steady(outputs), self._fitted_state(trained))
            taken.append(trained.rows)
        self._send_fingerprint(epochs=epochs.told())
        self._send_work([self.spec.counted(self.raw.train, rows) for rows in taken], sum(map(len, taken)))

    def _fitted_state(self, trained: Any) -> str | None:
        """Of a fit without a loss, which nothing else tells."""
        from suite import fingerprint

        return fingerprint.of_state(self.impl.params()) if trained.loss is None else None

    def _infer(self) -> None:
        import numpy as np

        from suite import kept
        from suite.spec import count

        samples, stage = count(self.raw.test), self.request.stage
        passes, done = kept.Passes(), []
        parted = self._in_parts if self.spec.parts.get(stage) else self._at_once
        answered = self._as_they_come if stage in self.spec.arriving else parted
        for number in range(1, self.spec.infer_passes + 1):
            rows = self.spec.pass_order(samples, self.request.seed, number)
            with self.profiled.recording(number):
                outputs = answered(rows)
            passes.add(self.spec.steady(outputs), rows)
            done.append(self.spec.counted(self.raw.test, rows, outputs))
        in_order = np.argsort(rows)
        self._send_metrics({name: array[in_order] for name, array in outputs.items()}, None, None)
        self._send_fingerprint(passes=passes.told())
        self._send_last_answers(self.spec.steady(outputs), rows)
        self._send_work(done, self.spec.infer_passes)

    def _at_once(self, rows: Any) -> dict[str, Any]:
        """One pass, which is one phase."""
        with self.events.phase(self.request.stage):
            outputs = self.impl.infer(self.asked, rows, self.request.stage)
            _require_host(*outputs.values())
        return outputs

    def _in_parts(self, rows: Any) -> dict[str, Any]:
        """One pass: each part of each batch is a phase, a part of all batches before the next part.

        So windows of one part lie side by side, and are as long together as a meter needs.
        """
        import numpy as np

        size, parts = self.spec.predict_batch_size, self.spec.parts[self.request.stage]
        batches = [rows[start : start + size] for start in range(0, len(rows), size)]
        made: list[Any] = [None] * len(batches)
        for name in parts:
            for number, batch in enumerate(batches):
                with self.events.phase(name):
                    made[number] = self.impl.part(name, self.asked, batch, made[number])
                    if name == parts[-1]:
                        _require_host(*made[number].values())
        return {name: np.concatenate([one[name] for one in made]) for name in made[0]}

    def _as_they_come(self, rows: Any) -> dict[str, Any]:
        """One pass, which is one part."""
        (name,) = self.spec.parts[self.request.stage]
        with self.events.phase(name):
            served = self.impl.serve(self.asked, rows)
            _require_host(*served.outputs.values())
        for stamps in served.stamps():
            self.events.send("requests", **stamps)
        self.slots = {name: self.slots.get(name, 0) + count for name, count in served.slots.items()}
        return served.outputs

    @property
    def _quality(self) -> str:
        """The metric that is the run's."""
        return self.spec.metrics_of(self.request.stage)[0].name

    def _send_metrics(self, outputs: Any, piece: int | None, loss: float | None) -> None:
        values = {**self.spec.evaluate(self.raw.test, outputs), "loss": loss}
        iterations = piece and self.spec.iterations_of(piece)
        more = {} if iterations is None else {"iterations": iterations}
        self.events.send("metrics", epoch=piece, metric=self._quality, values=values, **more)
        if self.spec.judged_on_host:
            answers = self.spec.for_judges(outputs).items()
            self.for_judges |= {f"{piece or 1}/{name}": array for name, array in answers}

    def _send_fingerprint(self, **prints: list[Any]) -> None:
        from suite import fingerprint

        for name, told in prints.items():
            for part in fingerprint.parts(told):
                self.events.send("fingerprint", **{name: part})

    def _send_last_answers(self, outputs: Any, rows: Any) -> None:
        from suite import fingerprint

        classes = self.spec.classes_of(self.raw.test)
        classes = None if classes is None else classes[rows]
        self.events.send("fingerprint", answers=fingerprint.of_outputs(outputs, classes, rows))

    def _send_work(self, done: list[dict[str, int]], steps: int) -> None:
        """`done`: the units of work of each epoch or pass."""
        units = {unit: sum(one[unit] for one in done) for unit in self.spec.units_of(self.request.stage)}
        flops = self.spec.sample_flops(self.request.stage)
        self.events.send(
            "work",
            samples=units[SAMPLE],
            steps=steps,
            parameters=self._parameters(),
            flops_per_step=None if flops is None else flops * units[SAMPLE] // steps,
            data_bytes=self.stored_bytes,
            units=units,
            **self.slots,
            **self.spec.told_besides(self.request.stage),
        )

    def _parameters(self) -> int:
        """What is one number alone is a flag or a rate, of which another version of a library has another count."""
        from suite.implementation import Shaped
        from suite.neural import trains

        if isinstance(self.impl, Shaped):
            shapes = self.impl.weight_shapes()
        else:
            shapes = {name: array.shape for name, array in self.impl.params().items()}
        return sum(prod(shape) for name, shape in shapes.items() if shape and trains(name))

    def _finish(self) -> None:
        if self.request.keep_state:
            import numpy as np

            with output(self.folder) as stream:
                np.savez(stream, **self.impl.params())
        self._leave_answers()
        self._leave_profile()
        self.events.send(
            "facts", python=platform.python_version(), **self._execution(), **self.runtime.facts()
        )
        usage = resource.getrusage(resource.RUSAGE_SELF)
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.events.send(
            "usage",
            cpu_s=usage.ru_utime + usage.ru_stime + children.ru_utime + children.ru_stime,
            memory_peak_bytes=_memory_peak_bytes(),
            gpu_memory_peak_bytes=self.runtime.gpu_memory_peak_bytes(),
        )

    def _leave_answers(self) -> None:
        """Of every evaluation, all at once: what is measured ended before."""
        if self.for_judges:
            import numpy as np

            with output(self.folder, ANSWERS) as stream:
                np.savez(stream, **self.for_judges)

    def _leave_profile(self) -> None:
        if self.request.profiler:
            with output(self.folder) as stream:
                stream.writelines(self.profiled.told())

    def _execution(self) -> dict[str, Any]:
        """The mode in force, which "default" does not tell, and the precision; None where there is no such choice."""
        mode, precision = getattr(self.impl, "mode", None), getattr(self.spec, "precision", None)
        return {"mode": mode, "precision": precision}


def _require_host(*results: Any) -> None:
    """What a device is still computing is no result yet: its time would count as that of whoever asks for it next.

    Raises: TypeError for anything but arrays of NumPy.
    """
    import numpy as np

    for one in results:
        if type(one) is not np.ndarray:
            raise TypeError(
                f"a result is a {type(one).__name__}: it may still be under way when its phase ends"
            )


def _memory_peak_bytes() -> int:
    """Of this program alone: ru_maxrss of getrusage begins with that of the process which started it."""
    line = next(
        line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM:")
    )
    return int(line.split()[1]) * 1024  # proc(5) counts in KiB


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
