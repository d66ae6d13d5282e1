"""The only entry point inside an environment: `python -m suite.run REQUEST_FOLDER OWN_FOLDER DATA_FOLDER [STATE]`."""

from __future__ import annotations

import importlib
import os
import platform
import resource
import sys
import traceback
from pathlib import Path
from typing import Any

from suite.protocol import CONTROL, EXIT_FAILED, PROOF, REHEARSAL, EventWriter, Lease, Request, output
from suite.runtimes import implementation_module, runtime_module


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
        events.send("failed", error=f"{type(error).__name__}: {error}".splitlines()[0][:500])
        return EXIT_FAILED
    events.send("done")
    lease.wait_for_bye()
    return 0


def _work(
    request: Request, events: EventWriter, folder: Path, data_folder: Path, state_file: Path | None
) -> None:
    if request.stage == CONTROL:
        from suite import control

        return control.execute(request, events)
    if request.stage == PROOF:
        from suite import verify

        return verify.execute(request, folder, data_folder)
    run = Run(request, events, folder, data_folder, state_file)
    return run.rehearse() if request.stage == REHEARSAL else run.execute()


class Run:
    """One run, phase by phase."""

    def __init__(
        self, request: Request, events: EventWriter, folder: Path, data_folder: Path, state_file: Path | None
    ) -> None:
        self.request, self.events = request, events
        self.folder, self.data_folder, self.state_file = folder, data_folder, state_file

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
            self.impl.compile(self.test_data, self.train_data)
        (self._train if self.request.stage == "train" else self._infer)()
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

        self.raw = data.load(self.data_folder)
        self.train_x, self.test_x = (
            self.spec.inputs_in(self.request.dtype, split.x) for split in (self.raw.train, self.raw.test)
        )

    def _build(self) -> None:
        self.impl = self.module.Impl(self.spec, self._weights(), self.request.dtype, self.request.device)
        self.test_data = self.impl.place(self.test_x, self.raw.test.y)
        trains = self.request.stage == "train"
        self.train_data = self.impl.place(self.train_x, self.raw.train.y) if trains else None

    def _weights(self) -> dict[str, Any]:
        if self.state_file is None:
            return self.spec.initial_weights(self.request.seed)
        import numpy as np

        with np.load(self.state_file, allow_pickle=False) as archive:
            return dict(archive)

    def _train(self) -> None:
        import numpy as np

        from suite import fingerprint, kept

        epochs, everything = kept.Epochs(self.raw.test.y), np.arange(len(self.raw.test.y))
        for epoch in range(1, self.spec.epochs + 1):
            order = self.spec.batch_order(len(self.raw.train.y), self.request.seed, epoch)
            with self.events.phase("train", epoch):
                trained = self.impl.train(self.train_data, order)
                _require_host(trained.losses, trained.rows)
            with self.events.phase("evaluate", epoch):
                scores = self.impl.predict(self.test_data, everything)
                _require_host(scores)
            self._send_metrics(scores, self.raw.test.y, epoch, trained.loss)
            fitted = trained.loss is None
            epochs.add(trained, scores, fingerprint.of_state(self.impl.params()) if fitted else None)
        prints = epochs.told()
        self._send_fingerprint(epochs=prints)
        self._send_work(sum(one["samples"] for one in prints), sum(one["steps"] for one in prints))

    def _infer(self) -> None:
        from suite import kept

        passes = kept.Passes()
        for number in range(1, self.spec.infer_passes + 1):
            rows = self.spec.pass_order(len(self.raw.test.y), self.request.seed, number)
            with self.events.phase("infer"):
                scores = self.impl.predict(self.test_data, rows)
                _require_host(scores)
            passes.add(scores, rows)
        self._send_metrics(scores, self.raw.test.y[rows], None, None)
        self._send_fingerprint(passes=passes.told())
        self._send_last_answers(scores, rows)
        self._send_work(self.spec.infer_passes * len(self.raw.test.y), self.spec.infer_passes)

    def _send_metrics(self, scores: Any, truth: Any, epoch: int | None, loss: float | None) -> None:
        from suite.metrics import classification

        values = {**classification(truth, scores), "loss": loss}
        self.events.send("metrics", epoch=epoch, metric=self.spec.metrics[0].name, values=values)

    def _send_fingerprint(self, **prints: list[Any]) -> None:
        from suite import fingerprint

        for name, told in prints.items():
            for part in fingerprint.parts(told):
                self.events.send("fingerprint", **{name: part})

    def _send_last_answers(self, scores: Any, rows: Any) -> None:
        from suite import fingerprint

        self.events.send("fingerprint", answers=fingerprint.of_answers(scores, self.raw.test.y[rows], rows))

    def _send_work(self, samples: int, steps: int) -> None:
        from suite.neural import trains

        arrays = (array for name, array in self.impl.params().items() if trains(name))
        # What is one number alone is a flag or a rate, of which another version of a library has another count.
        parameters = sum(array.size for array in arrays if array.ndim)
        flops = self.spec.sample_flops(self.request.stage)
        self.events.send(
            "work",
            samples=samples,
            steps=steps,
            parameters=int(parameters),
            flops_per_step=None if flops is None else flops * samples // steps,
            data_bytes=self.raw.size_bytes,
        )

    def _finish(self) -> None:
        if self.request.keep_state:
            import numpy as np

            with output(self.folder) as stream:
                np.savez(stream, **self.impl.params())
        self.events.send(
            "facts", python=platform.python_version(), **self._execution(), **self.runtime.facts()
        )
        usage = resource.getrusage(resource.RUSAGE_SELF)
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.events.send(
            "usage",
            cpu_s=usage.ru_utime + usage.ru_stime + children.ru_utime + children.ru_stime,
            memory_peak_bytes=_memory_peak_bytes(),
        )

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
