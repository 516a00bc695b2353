"""Runs a long call of the library such that Ctrl-C and a progress callback can stop it.

A signal handler of Python may raise an exception at any step of Python code in the main thread. If that step were in
a callback that C has called, ctypes would print the exception and drop it. So a call from the main thread runs in a
helper thread, where no signal handler runs, and the main thread waits for it. The callbacks progress and settled run
in the caller's thread in either case."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any

from ._library import Progress, Settled

OnProgress = Callable[[int, int], object]  # (done, all): a true value cancels the call
OnSettled = Callable[[int, str], object]  # (sentence, text)
Call = Callable[[Any, Any], int]  # calls the library with a TideProgress and a TideSettled, and returns the status


def run(call: Call, progress: OnProgress | None, settled: OnSettled | None = None) -> int:
    """The status of call(callback, callback). If progress, settled, or a signal handler raises an exception, the call
    is cancelled, and the exception is raised when the call has returned."""
    if threading.current_thread() is threading.main_thread():
        return _Helper(call, progress, settled).wait()
    return _run_here(call, progress, settled)


def _run_here(call: Call, progress: OnProgress | None, settled: OnSettled | None) -> int:
    failures: list[BaseException] = []

    def step(_context: int | None, done: int, total: int) -> int:
        try:
            return bool(failures or (progress and progress(done, total)))
        except BaseException as failure:
            failures.append(failure)
            return 1

    def tell(_context: int | None, sentence: int, text: bytes, _pieces: Any, _count: int) -> None:
        try:
            if settled and not failures:
                settled(sentence, text.decode())
        except BaseException as failure:
            failures.append(failure)

    status = call(Progress(step) if progress or settled else Progress(0), Settled(tell) if settled else Settled(0))
    if failures:
        raise failures[0]
    return status


class _Helper:
    """A call in a thread of its own."""

    POLL = 0.1  # seconds; needed only if an exception has swallowed a question or the end

    def __init__(self, call: Call, progress: OnProgress | None, settled: OnSettled | None):
        self._call, self._progress, self._settled = call, progress, settled
        self._questions: SimpleQueue[Callable[[], object] | None] = SimpleQueue()  # calls of callbacks; None: end
        self._answers: SimpleQueue[bool] = SimpleQueue()
        self._stop = False
        self._status = 0
        self._failure: BaseException | None = None  # of the call itself
        self._thread = threading.Thread(target=self._work, name="tide", daemon=True)

    def _work(self) -> None:
        try:
            self._status = self._call(Progress(self._step), Settled(self._tell) if self._settled else Settled(0))
        except BaseException as failure:
            self._failure = failure
        finally:
            self._questions.put(None)

    def _step(self, _context: int | None, done: int, total: int) -> int:
        return self._ask(partial(self._progress, done, total)) if self._progress else self._stop

    def _tell(self, _context: int | None, sentence: int, text: bytes, _pieces: Any, _count: int) -> None:
        if self._settled:
            self._ask(partial(self._settled, sentence, text.decode()))

    def _ask(self, question: Callable[[], object]) -> bool:
        """Lets the caller's thread call a callback; whether the callback cancels the call."""
        if self._stop:
            return True
        self._questions.put(question)
        return self._answers.get()

    def wait(self) -> int:
        """Answers the questions of the call until it has ended. Returns its status."""
        failure: BaseException | None = None
        try:
            self._thread.start()
        except BaseException:  # no thread can be started; or the thread runs, and a signal handler raised
            self._stop = True
            raise
        while self._thread.is_alive():
            try:
                question = self._questions.get(timeout=self.POLL)
                if question is None:
                    self._thread.join()
                else:
                    self._answers.put(bool(question()))
            except Empty:
                pass
            except BaseException as caught:
                self._stop = True
                self._answers.put(True)  # in case a question waits
                failure = failure or caught
        if failure or self._failure:
            raise failure or self._failure  # type: ignore[misc]
        return self._status
