"""Whose keys lie in a file, so that one from the network is trusted by its fingerprint and not by its address.

OpenPGP (RFC 4880): packets in 4.2, armour in 6.2, the fingerprint of a version 4 key in 12.2.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Callable, Iterator

ARMOUR = b"-----BEGIN PGP PUBLIC KEY BLOCK-----"
PUBLIC_KEY = 6  # the packet of a primary key


def fingerprints(encoded: str) -> list[str]:
    """Of every primary key in a file, which comes as base64 (slurp); empty where it cannot be read to its end."""
    try:
        content = base64.b64decode(encoded)
        binary = _without_armour(content) if content.lstrip().startswith(ARMOUR) else content
        return [_fingerprint(body) for tag, body in _packets(binary) if tag == PUBLIC_KEY]
    except (binascii.Error, IndexError, ValueError):
        return []


def _without_armour(text: bytes) -> bytes:
    """One block, and nothing beside it: apt would read on where this stops."""
    before, begin, rest = text.replace(b"\r", b"").partition(ARMOUR)
    block, end, after = rest.partition(b"-----END PGP PUBLIC KEY BLOCK-----")
    if before.strip() or after.strip() or not begin or not end:
        raise ValueError("not one armoured block")
    _, _, lines = block.partition(b"\n\n")  # behind the armour's headers
    return base64.b64decode(b"".join(line for line in lines.splitlines() if not line.startswith(b"=")))


def _packets(data: bytes) -> Iterator[tuple[int, bytes]]:
    place = 0
    while place < len(data):
        head = data[place]
        if not head & 0x80:
            raise ValueError("no packet")
        tag, size, place = _new(data, place) if head & 0x40 else _old(data, place)
        if place + size > len(data):
            raise ValueError("cut short")
        yield tag, data[place : place + size]
        place += size


def _new(data: bytes, place: int) -> tuple[int, int, int]:
    """Tag, length of the body, and where it begins."""
    tag, first = data[place] & 0x3F, data[place + 1]
    if first < 192:
        return tag, first, place + 2
    if first < 224:
        return tag, ((first - 192) << 8) + data[place + 2] + 192, place + 3
    if first == 255:
        return tag, int.from_bytes(data[place + 2 : place + 6], "big"), place + 6
    raise ValueError("a packet in parts")


def _old(data: bytes, place: int) -> tuple[int, int, int]:
    width = {0: 1, 1: 2, 2: 4}.get(data[place] & 3)
    if width is None:
        raise ValueError("a packet without a length")
    begin = place + 1 + width
    return (data[place] & 0x3C) >> 2, int.from_bytes(data[place + 1 : begin], "big"), begin


def _fingerprint(body: bytes) -> str:
    if body[0] != 4:
        raise ValueError("not a version 4 key")
    return hashlib.sha1(b"\x99" + len(body).to_bytes(2, "big") + body).hexdigest().upper()


class FilterModule:
    def filters(self) -> dict[str, Callable[[str], list[str]]]:
        return {"joulemark_fingerprints": fingerprints}
