"""A metered plug on the network that follows a known waveform, and answers as a Shelly or a Tasmota does, or badly."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType

from tests.emulators.waveforms import Waveform

NS = 1e9
Manner = Callable[[BaseHTTPRequestHandler], None]


@dataclass
class Plug:
    """Use as a context manager. It measures every `update_s`, and shows the mean power of the time since the last."""

    energy_j: Waveform
    update_s: float = 0.1
    manner: Manner | None = None  # of answering, in place of a good one
    login: str = ""  # what it wants to see, as a browser would send it
    started_ns: int = field(default_factory=time.monotonic_ns)
    asked: list[str] = field(default_factory=list)  # paths

    def __enter__(self) -> Plug:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        self.go_away()

    def go_away(self) -> None:
        """From now on nobody listens."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def true_energy_j(self, begin_ns: int, end_ns: int) -> float:
        return self._up_to_j(end_ns) - self._up_to_j(begin_ns)

    def _up_to_j(self, t_ns: int) -> float:
        return self.energy_j((t_ns - self.started_ns) / NS)

    def shown(self) -> tuple[float, float]:
        """Watts and joules as of its last measurement."""
        updates = int((time.monotonic_ns() - self.started_ns) / NS / self.update_s)
        last_s = updates * self.update_s
        before_s = max(0.0, last_s - self.update_s)
        now_j = self.energy_j(last_s)
        return (now_j - self.energy_j(before_s)) / self.update_s, now_j


def shelly(watts: float, joules: float) -> str:
    """Switch.GetStatus: powers to a tenth of a watt, energies to a thousandth of a watt-hour."""
    found = {
        "id": 0, "source": "HTTP_in", "output": True, "apower": round(watts, 1), "voltage": 230.1,
        "aenergy": {"total": round(7000 + joules / 3600, 3), "by_minute": [0.0, 0.0, 0.0], "minute_ts": 1700000000},
        "temperature": {"tC": 42.5, "tF": 108.5},
    }  # fmt: skip
    return json.dumps(found)


def tasmota(watts: float, joules: float) -> str:
    """Status 10: whole watts, and thousandths of a kilowatt-hour, of which none is left out."""
    return (
        '{"StatusSNS":{"Time":"2026-01-02T03:04:05","ENERGY":{"TotalStartTime":"2025-01-02T03:04:05",'
        f'"Total":{12 + joules / 3.6e6:.3f},"Yesterday":0.1,"Today":0.2,"Power":{watts:.0f},"ApparentPower":90,'
        '"Factor":0.95,"Voltage":230,"Current":0.4}}}'
    )


def _handler(plug: Plug) -> type[BaseHTTPRequestHandler]:
    kinds = {
        "/rpc/Switch.GetStatus?id=0": shelly,
        "/rpc/Shelly.GetStatus": lambda *shown: f'{{"switch:0":{shelly(*shown)},"sys":{{"uptime":3}}}}',
        "/cm?cmnd=Status%2010": tasmota,
    }

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            plug.asked.append(self.path)
            if plug.manner:
                plug.manner(self)
            elif plug.login and self.headers.get("Authorization") != plug.login:
                answer(self, "unauthorized", 401)
            elif self.path in kinds:
                answer(self, kinds[self.path](*plug.shown()))
            else:
                answer(self, "no such path", 404)

        def log_message(self, format: str, *args: object) -> None: ...

    return Handler


def answer(to: BaseHTTPRequestHandler, text: str, code: int = 200, **headers: str) -> None:
    body = text.encode()
    to.send_response(code)
    for name, value in {
        "Content-Type": "application/json",
        "Content-Length": str(len(body)),
        **headers,
    }.items():
        to.send_header(name, value)
    to.end_headers()
    to.wfile.write(body)
