"""URLs hold secrets, which nobody shall read on a screen."""

from __future__ import annotations

import pytest

from harness.files import shown_urls


@pytest.mark.parametrize(
    ("told", "shown"),
    [
        ("ftp://me:p@ss@host:21/a@b", "ftp://…@host:21/a@b"),
        ("s3://bucket/a@b:c?d", "s3://bucket/a@b:c?d"),
        ("no https://h/x?X-Amz-Signature=1, sorry", "no https://h/x?… sorry"),
        ("simplecache::s3://key:secret@bucket", "simplecache::s3://…@bucket"),
    ],
)
def test_logins_and_signatures_are_never_told(told: str, shown: str) -> None:
    assert shown_urls.shown(told) == shown
