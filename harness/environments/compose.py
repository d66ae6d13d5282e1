"""compose/suite.yaml as arguments of the docker SDK: people and the harness start the same containers.

Every key below must be there and no other may, so that nothing of the isolation is lost or overlooked in silence.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from harness import paths, shape_errors
from harness.errors import UsageError

FILE = paths.ROOT / "compose" / "suite.yaml"
# The only form that we use: every variable has a default.
VARIABLE = re.compile(r"\$\{([A-Z][A-Z_]*):-([^}]*)\}")
UNKNOWN = "is not a key that the harness knows"
FOR_PEOPLE = {"image", "profiles"}  # the harness names the image by its id
OF_SOME_DEVICES = {"devices", "group_add"}
RENAMED = {"cpuset", "tmpfs", "logging", "volumes", "deploy"}  # all others are called alike in the SDK


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)


class _Bind(_Strict):
    type: Literal["bind"]  # unlike a volume it is refused if its source does not exist
    source: str
    target: str
    read_only: bool = False


class _Logging(_Strict):
    driver: str
    options: dict[str, str]


class _Device(_Strict):
    driver: str
    count: Literal["all"]
    capabilities: list[str]


class _Reservations(_Strict):
    devices: list[_Device]


class _Resources(_Strict):
    reservations: _Reservations


class _Deploy(_Strict):
    resources: _Resources


class _Service(_Strict):
    image: str = ""
    profiles: list[str] = []
    network_mode: str
    read_only: bool
    cap_drop: list[str]
    security_opt: list[str]
    init: bool
    user: str
    tmpfs: list[str]
    shm_size: str
    pids_limit: int
    cpuset: str
    mem_limit: str
    memswap_limit: str
    logging: _Logging
    volumes: list[_Bind]
    environment: dict[str, str]
    deploy: _Deploy | None = None
    devices: list[str] = []
    group_add: list[str] = []

    def arguments(self) -> dict[str, Any]:
        from docker.types import DeviceRequest, LogConfig, Mount  # plans and virtual environments do without

        files = {"devices": self.devices, "group_add": self.group_add} if self.devices else {}
        return self.model_dump(exclude=FOR_PEOPLE | RENAMED | OF_SOME_DEVICES) | {
            **files,
            "cpuset_cpus": self.cpuset,
            "tmpfs": dict(one.split(":", 1) for one in self.tmpfs),
            "log_config": LogConfig(type=self.logging.driver, config=self.logging.options),
            "mounts": [Mount(b.target, b.source, type=b.type, read_only=b.read_only) for b in self.volumes],
            "device_requests": [
                DeviceRequest(driver=device.driver, count=-1, capabilities=[device.capabilities])
                for device in (self.deploy.resources.reservations.devices if self.deploy else ())
            ],
        }


def arguments(section: str, variables: Mapping[str, str], file: Path = FILE) -> dict[str, Any]:
    """Arguments of `containers.create` for a service, or for what all services share (x-run, x-run-cuda).

    Raises: UsageError naming file, section and key of the first thing that is not understood.
    """
    written = load(file)
    found = {**written, **written["services"]}.get(section)
    if found is None:
        raise UsageError(f"{file} has no {section}")
    try:
        return _Service.model_validate(_fill(found, variables)).arguments()
    except ValidationError as error:
        raise UsageError(f"{file}: {section}: {shape_errors.reason(error)}") from error


def load(file: Path = FILE) -> dict[str, Any]:
    """The file with its anchors merged, its variables not yet filled in. Raises: UsageError if it is another."""
    import yaml  # only a container waits for it

    try:
        text = file.read_text()
        found: dict[str, Any] = yaml.safe_load(text)
        names = [key for key in found if not key.startswith("x-")]
    except (OSError, yaml.YAMLError, TypeError) as error:
        raise UsageError(f"{file} cannot be read: {' '.join(str(error).split())}") from error
    if names != ["services"]:
        raise UsageError(f"{file}: {', '.join(names)}: {UNKNOWN}; it knows services and x-...")
    if bare := re.search(r"\$\S*", VARIABLE.sub("", text)):
        raise UsageError(f"{file}: {bare[0]}: a variable is written ${{NAME:-default}}")
    return found


def _fill(value: Any, variables: Mapping[str, str]) -> Any:
    """As compose does it: an empty variable counts as absent."""
    if isinstance(value, str):
        return VARIABLE.sub(lambda found: variables.get(found[1]) or found[2], value)
    if isinstance(value, list):
        return [_fill(one, variables) for one in value]
    if isinstance(value, dict):
        return {key: _fill(one, variables) for key, one in value.items()}
    return value
