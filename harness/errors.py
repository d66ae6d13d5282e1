"""Errors that a user can mend: the command line prints them as one line and exits with 2."""

from __future__ import annotations

import errno

ANEW = "take it from a copy, or measure anew"  # what helps against a damaged file of a campaign
DISK_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES)


def cause(error: Exception) -> str:
    """In words for one line: of the system's errors without their number, of others on a single line."""
    said = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return " ".join(said.split())


class SuiteError(Exception):
    """Base of every error that names its cause and its remedy in one line."""


class UsageError(SuiteError):
    """A name, option or file that the user gave is wrong."""


class MissingPrerequisite(SuiteError):
    """The machine lacks something that the command needs."""


class DataError(SuiteError):
    """A data file is missing, cut short or altered."""


class EnvironmentLost(SuiteError):
    """What every run to come needs has gone: the campaign ends here, and may go on when it is back."""


class CampaignError(SuiteError):
    """A folder is not a campaign, or not one that this version reads."""


class TooLarge(CampaignError):
    """It is larger than whoever asked takes of it."""


class UnsafeFile(SuiteError):
    """A path leads through a link or to something else than a regular file, or the file is larger than what is read."""
