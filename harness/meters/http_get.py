"""One GET of a small answer: bounded in time and size, from nowhere else than the address that was asked."""

from __future__ import annotations

import base64
import io
import os
import re
import socket
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast
from urllib.parse import SplitResult, urlsplit

from harness.files.untrusted import printable
from harness.meters.background import NoReading

if TYPE_CHECKING:
    from http.client import HTTPResponse

    from _typeshed import WriteableBuffer

MAX_BYTES = 65_536
MAX_INCOMING_BYTES = 2 * MAX_BYTES  # with headers, and whatever the length of a chunk is said to be
PRINTABLE = re.compile(r"[\x21-\x7e]*")


@dataclass(frozen=True)
class Address:
    """What is asked where; `login` is user:password, or empty."""

    host: str
    port: int
    path: str  # with its query
    login: str

    @property
    def request(self) -> bytes:
        lines = [
            f"GET {self.path} HTTP/1.1",
            f"Host: {f'[{self.host}]' if ':' in self.host else self.host}:{self.port}",
            "Accept: application/json",
            "Connection: close",
        ]
        if self.login:
            lines.append(f"Authorization: Basic {base64.b64encode(self.login.encode()).decode()}")
        return "\r\n".join([*lines, "", ""]).encode("ascii")


def target(url: str, usual_path: str, login: str) -> Address:
    """`login` names the environment variable that holds user:password, so that no file and no record holds it.

    Raises: ValueError naming what is wrong; it never repeats a password.
    """
    parts, port = _split(url)
    if parts.username is not None or parts.password is not None:
        raise ValueError(
            'its url holds a user or a password: put user:password into a variable, and name it: login = "NAME"'
        )
    if parts.scheme != "http" or not parts.hostname:
        raise ValueError("its url must begin with http:// and a host, as http://192.168.1.20")
    if login and ":" not in os.environ.get(login, ""):
        raise ValueError(f"its login {login} is no environment variable that holds user:password")
    asked = parts.path if parts.path != "/" else ""
    path = f"{asked or '/'}?{parts.query}" if parts.query else asked or usual_path or "/"
    if not PRINTABLE.fullmatch(path + parts.hostname):
        raise ValueError("its url holds a character that is none of a url's: write it as %20 and the like")
    return Address(parts.hostname, port, path, os.environ[login] if login else "")


def _split(url: str) -> tuple[SplitResult, int]:
    try:
        return (parts := urlsplit(url)), parts.port or 80
    except ValueError:
        raise ValueError("its url is none, as http://192.168.1.20 is one") from None


def get(one: Address, timeout_s: float) -> bytes:
    """The body of a good answer. Raises: NoReading."""
    from http.client import HTTPException, HTTPResponse  # and TLS, which takes 20 ms to load, with it

    deadline_s = time.monotonic() + timeout_s
    try:
        with socket.create_connection((one.host, one.port), timeout_s) as connection:
            connection.sendall(one.request)
            response = HTTPResponse(cast(socket.socket, _Incoming(connection, deadline_s)))
            response.begin()
            return _body(response)
    except TimeoutError as error:
        raise NoReading(f"it did not answer within {timeout_s:g} s") from error
    except (OSError, HTTPException, ValueError) as error:  # the last for chunks of a length below 0
        raise NoReading(f"it cannot be asked: {printable(error) or type(error).__name__}"[:200]) from error


def _body(response: HTTPResponse) -> bytes:
    if 300 <= response.status < 400:
        raise NoReading(f"it answered {response.status}: it sends elsewhere, where nobody follows")
    if response.status != 200:
        raise NoReading(f"it answered {response.status}")
    body = response.read(MAX_BYTES + 1)
    if len(body) > MAX_BYTES:
        raise NoReading(f"it answered more than {MAX_BYTES} bytes")
    return body


class _Incoming(io.RawIOBase):
    """What comes in, until the deadline: a socket's own timeout begins anew with every byte."""

    def __init__(self, connection: socket.socket, deadline_s: float) -> None:
        self._connection, self._deadline_s = connection, deadline_s
        self._left = MAX_INCOMING_BYTES

    def makefile(self, mode: str) -> io.BufferedReader:
        return io.BufferedReader(self)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        left_s = self._deadline_s - time.monotonic()
        if left_s <= 0:
            raise TimeoutError
        self._connection.settimeout(left_s)
        came = self._connection.recv_into(buffer)
        self._left -= came
        if self._left < 0:
            raise NoReading(f"it answered more than {MAX_BYTES} bytes")
        return came
