"""NVIDIA GPUs, and whether the driver stays loaded while nobody uses them (persistence)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ansible.module_utils.joulemark.command import Refused, run

ALL = "all"
NVIDIA, DISPLAY = "0x10de", "0x03"  # PCI vendor; base class of display controllers
QUERY = ("driver_version", "uuid", "compute_cap", "persistence_mode", "name")


def keys(pattern: str) -> list[str]:
    """UUIDs of the GPUs that the driver sees, or the one that is named."""
    if pattern != ALL:
        return [pattern]
    try:
        return [row["uuid"] for row in _rows()]
    except OSError:
        return []


def look(uuid: str) -> bool | None:
    """Raises: Refused."""
    return {row["uuid"]: row["persistence_mode"] == "Enabled" for row in _rows()}.get(uuid)


def put_back(uuid: str, before: bool | None) -> None:
    """Raises: Refused."""
    if before is not None:
        run("nvidia-smi", "-i", uuid, "-pm", str(int(before)))


def _rows() -> list[dict[str, str]]:
    """Raises: Refused with the driver's reason, FileNotFoundError without nvidia-smi."""
    printed = run("nvidia-smi", f"--query-gpu={','.join(QUERY)}", "--format=csv,noheader")
    lines = [line for line in printed.splitlines() if "," in line]
    return [dict(zip(QUERY, map(str.strip, line.split(",", len(QUERY) - 1)))) for line in lines]  # noqa: B905 - Python 3.8


def on_bus(sys_root: str) -> bool:
    devices = Path(sys_root).glob("bus/pci/devices/*")
    return any(
        _text(one / "vendor") == NVIDIA and _text(one / "class").startswith(DISPLAY) for one in devices
    )


def _text(file: Path) -> str:
    return file.read_text().strip()


def describe(sys_root: str) -> dict[str, Any]:
    """on_bus, driver, gpus (uuid, name, chip, persistence), reason: why the driver sees none."""
    reason = "its driver sees none"
    try:
        rows = _rows()
    except FileNotFoundError:
        rows, reason = [], "no NVIDIA driver is installed (no nvidia-smi)"
    except Refused as error:
        rows, reason = [], str(error)
    gpus = [
        {
            "uuid": row["uuid"],
            "name": row["name"],
            "chip": row["compute_cap"],
            "persistence": row["persistence_mode"] == "Enabled",
        }
        for row in rows
    ]
    driver = rows[0]["driver_version"] if rows else ""
    return {"on_bus": on_bus(sys_root), "driver": driver, "gpus": gpus, "reason": reason}
