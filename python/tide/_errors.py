"""The exceptions: one class for each status of the library."""

from __future__ import annotations


class TideError(Exception):
    """The base of all errors of this module. `str(error)` is one line."""


class OutOfMemory(TideError, MemoryError):
    """An allocation was refused. The model can still be used."""


class BadArgument(TideError, ValueError):
    """A value that is required is missing, or an option is out of range."""


class BadFile(TideError, OSError):
    """The file cannot be read, is damaged, or is not a model."""


class BadText(TideError, ValueError):
    """A text is not valid Unicode, or does not have the required format."""


class TooLong(TideError, ValueError):
    """A sentence has more pieces than max_length."""


class Unsupported(TideError):
    """The model cannot do this. For example, it has no attention, and so no alignments."""


class Cancelled(TideError):
    """The progress callback returned a true value."""


class InternalError(TideError, RuntimeError):
    """A bug in tide."""


class LibraryError(TideError, OSError):
    """libtide was not found, or does not fit this module."""


class TideWarning(UserWarning):
    """A model was loaded, but deserves attention. For example, its file has no checksum."""


# Indexed by TideStatus of tide.h.
STATUS: tuple[type[TideError] | None, ...] = (
    None,
    OutOfMemory,
    BadArgument,
    BadFile,
    BadText,
    TooLong,
    Unsupported,
    Cancelled,
    InternalError,
)


def error_of(status: int, message: str) -> TideError:
    """The exception for a status other than TIDE_OK. A status of a newer library becomes a TideError."""
    known = STATUS[status] if 0 < status < len(STATUS) else None
    return (known or TideError)(message)
