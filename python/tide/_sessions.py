"""Owners of the library's models and sessions. Each handle is freed exactly once."""

from __future__ import annotations

import os
import threading
import warnings
import weakref
from ctypes import POINTER, byref, c_void_p, sizeof
from typing import Any

from ._arguments import c_text
from ._errors import BadArgument, BadText, TideWarning
from ._library import (
    ErrorLine,
    TideModelInfo,
    TidePieces,
    TideSessionOptions,
    TideShortlistOptions,
    check,
    library,
    read_texts,
)


class Models:
    """The models of an ensemble, in order. They are immutable; any number of sessions share them."""

    def __init__(self) -> None:
        self._handles: list[c_void_p] = []
        self._lock = threading.Lock()  # a session must not begin with models that are being freed
        self._release = weakref.finalize(self, _free_models, self._handles)
        self._release.atexit = False  # the end of the process frees the memory

    @property
    def closed(self) -> bool:
        return not self._release.alive

    def load(self, path: str | bytes) -> None:
        """Loads one more model: from a path, or the bytes of a file. Warns about a model that deserves attention."""
        handle, error = c_void_p(), ErrorLine()
        if isinstance(path, bytes):
            error.check(library().tide_load_memory(path, len(path), handle, *error.arguments))
        elif "\0" in path:
            raise BadText("the path has a NUL")
        else:
            error.check(library().tide_load(os.fsencode(path), handle, *error.arguments))
        self._handles.append(handle)
        warning = self.info(-1).warning
        if warning:
            warnings.warn(warning.decode(), TideWarning, stacklevel=4)  # the caller of tide.load

    def info(self, model: int = 0) -> TideModelInfo:
        """Facts about one of the models. The texts belong to the model."""
        info = TideModelInfo(size=sizeof(TideModelInfo))
        check(library().tide_model_info(self._handles[model], byref(info)))
        return info

    def session(self, threads: int) -> Session:
        """A new session with these models."""
        with self._lock:
            self.check_open()
            array = (c_void_p * len(self._handles))(*(handle.value for handle in self._handles))
            return Session(array, threads)

    def shortlist(self, lines: str, first: int, best: int) -> Shortlist:
        """A shortlist for the first model."""
        with self._lock:
            self.check_open()
            return Shortlist(self._handles[0], lines, first, best)

    def tokenize(self, text: str, side: int) -> tuple[str, ...]:
        """The pieces of a text in one language of the first model."""
        found, error = POINTER(TidePieces)(), ErrorLine()
        with self._lock:
            self.check_open()
            error.check(
                library().tide_tokenize(self._handles[0], side, c_text("text", text), byref(found), *error.arguments)
            )
        try:
            return read_texts(found.contents.pieces, found.contents.count)
        finally:
            library().tide_pieces_free(found)

    def check_open(self) -> None:
        if self.closed:
            raise BadArgument("the model is closed")

    def close(self) -> None:
        """Gives the models back. The memory is freed when the last session ends. Closing twice does nothing."""
        with self._lock:
            self._release()


class Session:
    """A session of the library, for one call at a time."""

    def __init__(self, models: Any, threads: int):
        options = TideSessionOptions(size=sizeof(TideSessionOptions), threads=threads)
        self.handle = c_void_p()
        error = ErrorLine()
        error.check(
            library().tide_session_new(models, len(models), byref(options), byref(self.handle), *error.arguments)
        )
        self._process = os.getpid()
        self._release = weakref.finalize(self, _free_session, self.handle, self._process)
        self._release.atexit = False

    def usable(self) -> bool:
        """False in a process that was forked from the session's: the threads of the session are not in it."""
        return self._process == os.getpid()

    def message(self) -> str:
        """One line about the last call, if it failed."""
        text: bytes = library().tide_error(self.handle)
        return text.decode(errors="replace")


class Shortlist:
    """The words that translations may contain, for each source text; see `Model.shortlist`. Threads may share it."""

    def __init__(self, model: c_void_p, lines: str, first: int, best: int):
        options = TideShortlistOptions(size=sizeof(TideShortlistOptions), first=first, best=best)
        error, self.handle = ErrorLine(), c_void_p()
        text = c_text("shortlist", lines)
        error.check(library().tide_shortlist_new(model, text, byref(options), byref(self.handle), *error.arguments))
        self._release = weakref.finalize(self, library().tide_shortlist_free, self.handle)
        self._release.atexit = False


def _free_models(handles: list[c_void_p]) -> None:
    while handles:
        library().tide_free(handles.pop())


def _free_session(handle: c_void_p, process: int) -> None:
    if process == os.getpid():
        library().tide_session_free(handle)
