"""Metered plugs on the local network: read in the background, within a time and a size, and never as a 0."""

from __future__ import annotations

import base64
import contextlib
import math
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from harness.meters import http
from harness.meters.background import BackgroundReader
from harness.meters.base import FieldSpec, HttpSpec, MeterLost, Reader, Readings, Stamped
from harness.meters.http_get import target
from harness.records import ChannelKind, Provenance, Unavailable
from tests.emulators.plug import Plug, answer
from tests.emulators.waveforms import constant

pytestmark = pytest.mark.unhurried

WATTS = 87.4
POWER, ENERGY = "http/plug/power", "http/plug/energy"


@pytest.fixture
def plug() -> Iterator[Plug]:
    with Plug(constant(WATTS)) as one:
        time.sleep(2 * one.update_s)
        yield one


def spec(plug: Plug, path: str = "", **more: Any) -> HttpSpec:
    values = {"preset": "shelly", "period_s": 0.05, "update_s": 0.1, "timeout_s": 0.5, **more}
    return HttpSpec("plug", plug.url + path, **values)


def found(one: HttpSpec) -> http.HttpMeter:
    meter = http.find(one)
    assert isinstance(meter, http.HttpMeter), meter
    return meter


def unavailable(one: HttpSpec) -> str:
    answer = http.find(one)
    assert isinstance(answer, Unavailable)
    assert answer.remedy and answer.meter == "http plug"
    return answer.reason


def wait_for(read: Reader, limit_s: float = 10.0) -> Readings:
    end = time.monotonic() + limit_s
    while time.monotonic() < end:
        if readings := read():
            return readings
        time.sleep(0.005)
    raise AssertionError("no reading")


def test_a_shelly_tells_watts_and_a_counter_in_joules_of_a_boundary_of_its_own(plug: Plug) -> None:
    power, energy = found(spec(plug)).channels
    assert (power.name, power.kind, power.unit) == (POWER, ChannelKind.GAUGE, "W")
    assert (energy.name, energy.kind, energy.unit) == (ENERGY, ChannelKind.COUNTER, "J")
    assert (power.resolution, energy.resolution) == (0.1, pytest.approx(3.6))
    assert {one.domain for one in (power, energy)} == {"http:plug"}
    assert {one.provenance for one in (power, energy)} == {Provenance.MEASURED}
    assert not power.boundary and not energy.boundary
    readings = wait_for(found(spec(plug)).open(None))
    assert readings[POWER] == pytest.approx(WATTS, abs=0.1)
    assert readings[ENERGY] == pytest.approx(7000 * 3600, abs=400)


def test_a_tasmota_tells_whole_watts_and_steps_of_a_watt_hour(plug: Plug) -> None:
    meter = found(spec(plug, preset="tasmota"))
    assert [one.resolution for one in meter.channels] == [1.0, pytest.approx(3600.0)]
    readings = wait_for(meter.open(None))
    assert readings == {POWER: 87.0, ENERGY: pytest.approx(12 * 3.6e6)}


def test_any_device_is_read_by_the_paths_and_units_that_the_user_names(plug: Plug) -> None:
    fields = (FieldSpec("switch:0.apower", "mW", step=0.5),)
    meter = found(spec(plug, "/rpc/Shelly.GetStatus", preset="", fields=fields))
    assert meter.channels[0].resolution == pytest.approx(0.0005)
    assert wait_for(meter.open(None)) == {POWER: pytest.approx(WATTS / 1000, rel=0.01)}
    plug.manner = lambda to: answer(to, '{"outlets": [{}, {"wh": 1.5}]}')
    other = found(spec(plug, preset="", fields=(FieldSpec("outlets.1.wh", "Wh"),)))
    assert wait_for(other.open(None)) == {ENERGY: 5400.0}
    assert other.channels[0].resolution == pytest.approx(360.0)  # of the last decimal


def test_a_reading_carries_the_time_at_which_it_was_asked_for(plug: Plug) -> None:
    before_ns = time.monotonic_ns()
    reading = wait_for(found(spec(plug)).open(None))[POWER]
    assert isinstance(reading, Stamped)
    assert before_ns < reading.t_ns < time.monotonic_ns()


def hang(to: BaseHTTPRequestHandler) -> None:
    time.sleep(3.0)


def drip(to: BaseHTTPRequestHandler) -> None:
    with contextlib.suppress(OSError):
        for _ in range(60):
            to.wfile.write(b"HTTP/1.1 200 OK\r\n"[:1])
            time.sleep(0.05)


def says(text: str, code: int = 200, **headers: str) -> Callable[[BaseHTTPRequestHandler], None]:
    def manner(to: BaseHTTPRequestHandler) -> None:
        with contextlib.suppress(OSError):
            answer(to, text, code, **headers)

    return manner


def chunk(length: str) -> Callable[[BaseHTTPRequestHandler], None]:
    """A body of one piece whose length is a lie."""

    def manner(to: BaseHTTPRequestHandler) -> None:
        with contextlib.suppress(OSError):
            to.wfile.write(
                f"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{length}\r\n".encode()
                + b"7" * 1_000_000
            )

    return manner


@pytest.mark.parametrize(
    ("manner", "reason"),
    [
        (hang, "did not answer within 0.5 s"),
        (drip, "did not answer within 0.5 s"),
        (says("<html>Plug</html>"), "no JSON: b'<html>Plug</html>'"),
        (says("[" * 60_000), "no JSON"),
        (says('{"apower": 1e99999999999999999999}'), "no JSON"),
        (chunk("-5"), "cannot be asked"),
        (chunk("-1"), "more than 65536 bytes"),
        (lambda to: to.wfile.write(b"\x1b[2Jevil\x07\r\n\r\n"), r"\x1b[2Jevil"),
        (says('"' + "7" * 70_000 + '"'), "more than 65536 bytes"),
        (says('{"apower": NaN, "aenergy": {"total": 1}}'), "no JSON"),
        (says('{"apower": -3.5, "aenergy": {"total": 1}}'), "apower in its answer is -3.5"),
        (says('{"apower": 1e999, "aenergy": {"total": 1}}'), "apower in its answer is 1E"),
        (says('{"apower": true, "aenergy": {"total": 1}}'), "apower in its answer is no number: 'True'"),
        (says('{"apower": "87", "aenergy": {"total": 1}}'), "apower in its answer is no number: '87'"),
        (says('{"apower": 87.4}'), "no aenergy.total"),
        (says("{}", 302, Location="http://elsewhere/"), "302: it sends elsewhere"),
        (says("{}", 401), "it answered 401"),
        (lambda to: to.wfile.write(b"plug 1.0\r\n\r\n"), "it cannot be asked"),
    ],
)
def test_a_device_that_gives_no_number_in_time_is_refused_with_the_reason(
    plug: Plug, manner: Callable[[BaseHTTPRequestHandler], None], reason: str
) -> None:
    plug.manner = manner
    began = time.monotonic()
    assert reason in unavailable(spec(plug))
    assert time.monotonic() - began < 3.0


def test_nothing_behind_a_redirection_is_asked(plug: Plug) -> None:
    with Plug(constant(5.0)) as other:
        plug.manner = says("{}", 302, Location=f"{other.url}/rpc/Switch.GetStatus?id=0")
        unavailable(spec(plug))
        assert other.asked == []


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"preset": "shely"}, "unknown preset 'shely'; did you mean 'shelly'?"),
        ({"preset": ""}, "neither a preset (shelly, tasmota) nor fields"),
        ({"fields": (FieldSpec("a", "MWh"),)}, "unknown unit 'MWh'"),
        ({"fields": (FieldSpec("a", "W"), FieldSpec("b", "mW"))}, "a table of its own"),
        ({"period_s": 0.0}, "more than 0"),
        ({"period_s": math.inf}, "at most 3600 s"),
        ({"update_s": math.nan}, "at most 3600 s"),
        ({"timeout_s": math.inf}, "at most 3600 s"),
        ({"fields": (FieldSpec("a", "W", math.nan),)}, "step must be a number"),
        ({"login": "NO_SUCH_VARIABLE"}, "NO_SUCH_VARIABLE is no environment variable"),
    ],
)
def test_a_mistake_in_the_configuration_is_told(plug: Plug, wrong: dict[str, Any], reason: str) -> None:
    assert reason in unavailable(spec(plug, **wrong))
    assert plug.asked == []


@pytest.mark.parametrize(
    "url", ["https://plug", "ftp://plug", "plug", "http://", "http://plug:x", "http://plug/a b"]
)
def test_what_is_no_address_of_a_plug_is_refused(url: str) -> None:
    assert "its url" in unavailable(HttpSpec("plug", url, "shelly"))


def test_a_password_in_the_address_is_refused_and_never_repeated() -> None:
    reason = unavailable(HttpSpec("plug", "http://admin:hunter2@127.0.0.1", "shelly"))
    assert "holds a user or a password" in reason
    assert "hunter2" not in reason


def test_a_login_comes_from_the_environment_and_stands_in_no_channel(
    plug: Plug, monkeypatch: pytest.MonkeyPatch
) -> None:
    plug.login = "Basic " + base64.b64encode(b"admin:hunter2").decode()
    assert "401" in unavailable(spec(plug))
    monkeypatch.setenv("PLUG_LOGIN", "admin:hunter2")
    meter = found(spec(plug, login="PLUG_LOGIN"))
    assert wait_for(meter.open(None))[POWER] > 0
    kept = "".join(one.model_dump_json() for one in meter.channels)
    assert "hunter2" not in kept and "127.0.0.1" not in kept


def test_a_device_that_hangs_delays_no_read_and_is_lost_after_three_times(plug: Plug) -> None:
    meter = found(spec(plug, timeout_s=0.3))
    read = meter.open(None)
    wait_for(read)
    plug.manner = hang
    slowest_s = 0.0
    with pytest.raises(MeterLost, match="it gave no reading 3 times: it did not answer within"):
        for _ in range(1000):
            began = time.monotonic()
            assert 0.0 not in read().values()
            slowest_s = max(slowest_s, time.monotonic() - began)
            time.sleep(0.01)
    assert slowest_s < 0.1


def test_an_answer_that_fails_in_between_is_counted_and_forgiven(plug: Plug) -> None:
    reader = found(spec(plug)).open(None)
    wait_for(reader)
    plug.manner = says("busy", 503)
    while not reader.missed:
        time.sleep(0.001)
    plug.manner = None
    assert wait_for(reader)[POWER] == pytest.approx(WATTS, abs=0.1)
    assert 1 <= reader.missed <= 2


def test_the_last_answer_is_one_that_was_asked_for_now(plug: Plug) -> None:
    reader = found(spec(plug, period_s=60.0)).open(None)
    wait_for(reader)
    now_ns = time.monotonic_ns()
    (last,) = reader.finish()
    assert last[POWER].t_ns > now_ns
    plug.go_away()
    assert reader.finish() == []


def test_the_thread_ends_with_the_reader(plug: Plug) -> None:
    read = found(spec(plug)).open(None)
    wait_for(read)
    del read
    assert not [thread for thread in threading.enumerate() if thread.name == "http plug"]


def test_an_address_of_version_6_is_asked_for_by_its_name_in_brackets() -> None:
    assert b"Host: [::1]:8080\r\n" in target("http://[::1]:8080/", "/", "").request


def test_a_fault_of_our_own_in_the_thread_loses_the_meter_and_not_in_silence() -> None:
    def ask(stop: threading.Event) -> Readings:
        raise ZeroDivisionError("a fault")

    read = BackgroundReader("http plug", ask, 0.01, 0.1)
    with pytest.raises(MeterLost, match="3 times: a fault"):
        wait_for(read)
