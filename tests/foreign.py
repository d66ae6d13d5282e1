"""Small files as other tools write them, for the importers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

PERF = """
 Performance counter stats for 'system wide':

         {pkg} Joules power/energy-pkg/
          {ram} Joules power/energy-ram/

    {seconds} seconds time elapsed

"""
SMI_FIELDS = (
    "power.draw [W]",
    "temperature.gpu",
    "memory.used [MiB]",
    "utilization.gpu [%]",
    "utilization.memory [%]",
)
SMI_HEADER = ", ".join(["timestamp", *SMI_FIELDS])
MODEL_HEADER = "epoch;precision;recall;accuracy;f1;timestamp"
CODECARBON_HEADER = (
    "timestamp,project_name,run_id,duration,emissions,emissions_rate,cpu_power,gpu_power,ram_power,cpu_energy,"
    "gpu_energy,ram_energy,energy_consumed,country_name,country_iso_code,region,cloud_provider,cloud_region,os,"
    "python_version,codecarbon_version,cpu_count,cpu_model,gpu_count,gpu_model,longitude,latitude,ram_total_size,"
    "tracking_mode,on_cloud,pue"
)


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def perf(path: Path, pkg: str = "1,000.00", ram: str = "100.00", seconds: str = "20.500000000") -> Path:
    return write(path, PERF.format(pkg=pkg, ram=ram, seconds=seconds))


def powers(path: Path, watts: Sequence[float]) -> Path:
    return write(path, "".join(f"{one:.2f} W\n" for one in watts))


def prengdl(
    folder: Path, repetitions: int = 3, models: Sequence[str] = ("ncf",), stage: str = "train"
) -> Path:
    """The layout of the artifact: PyTorch takes 10 % more each time than TensorFlow."""
    place = folder / f"measurements_{stage}"
    for model in models:
        for factor, framework in ((1.1, "PyTorch"), (1.0, "TensorFlow")):
            for repetition in range(1, repetitions + 1):
                joules, seconds = 1000 * factor + repetition, 20 * factor + 0.1 * repetition
                perf(
                    place / f"{model}_{framework}_perf_{repetition}.txt", f"{joules:,.2f}", f"{joules / 10:,.2f}",
                    f"{seconds:.9f}",
                )  # fmt: skip
                powers(
                    place / f"{model}_{framework}_nvidia_smi_{repetition}.txt", [6.0] + [50.0 * factor] * 19
                )
    return folder


def smi_rows(seconds: int, watts: float = 100.0, start: int = 0) -> list[str]:
    clock = (divmod(start + second, 60) for second in range(seconds))
    return [
        f"2023/05/07 18:{minute:02d}:{second:02d}.500, {watts:.2f} W, 33, 10 MiB, 39 %, 0 %"
        for minute, second in clock
    ]


def sotillos(
    folder: Path, run: int = 1, framework: str = "pytorch", batch: int = 32, epochs: int = 2
) -> tuple[Path, Path]:
    """One run of two epochs: the log begins at 18:00:00.5, the epochs end at :10 and :20."""
    name = f"run{run}-gpu-epoch{epochs}-batchsize{batch}-{framework}-CIFAR10-resnet50"
    energy = write(folder / framework / f"{name}-ENERGY.csv", "\n".join([SMI_HEADER, *smi_rows(25)]) + "\n")
    rows = [f"{e};0.5;0.5;0.{e + 5};0.5;2023-05-07 18:00:{10 * (e + 1):02d}" for e in range(epochs)]
    model = write(folder / framework / f"{name}_MODEL.csv", "\n".join([MODEL_HEADER, *rows]) + "\n")
    return energy, model


def energibridge(
    path: Path, joules: Sequence[float] = (10.0, 30.0, 60.0), begin_ms: int = 1_740_565_321_112
) -> Path:
    """A reading a second."""
    header = "Delta,Time,CPU_ENERGY (J),CPU_FREQUENCY_0,CPU_USAGE_0,TOTAL_MEMORY,USED_MEMORY"
    rows = [
        f"{1000 if i else 0},{begin_ms + 1000 * i},{joule},3301,50.5,16487870464,7157923840"
        for i, joule in enumerate(joules)
    ]
    return write(path, "\n".join([header, *rows]) + "\n")


def codecarbon(path: Path, runs: Sequence[tuple[str, str, float]] = (("torch_mnist", "a", 0.001),)) -> Path:
    """`runs`: project, run_id and kWh; each took 100 s."""
    rows = [
        f"2024-05-27T11:{30 + i:02d}:00,{project},{run_id},100.0,0.0001,1e-6,42.5,0.0,11.2,{kwh * 0.6},0.0,{kwh * 0.4},"
        f"{kwh},France,FRA,,,,Linux,3.11.4,2.4.2,12,Example CPU,,,2.3,48.8,31.0,machine,N,1.0"
        for i, (project, run_id, kwh) in enumerate(runs)
    ]
    return write(path, "\n".join([CODECARBON_HEADER, *rows]) + "\n")
