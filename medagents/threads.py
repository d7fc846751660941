"""What threads need to work through a study together: results in order, and nothing made twice."""

import threading
from collections import deque
from collections.abc import Callable, Generator, Hashable, Iterable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextvars import ContextVar
from typing import Generic, TypeVar

from medagents.types import MedagentsError

A = TypeVar("A")
T = TypeVar("T")

AHEAD = 4
"""Items begun beyond the one that is waited for, times the threads: enough for a slow one not to hold
up the others, and few enough that memory does not depend on how many items there are."""


_ending: ContextVar[threading.Event | None] = ContextVar("ending", default=None)


class Stopped(MedagentsError):
    """A call was not made, since the run ends for another reason."""


def ending() -> threading.Event | None:
    """What is set when the run ends that this thread works for, so that no wait need outlast it; None in a
    thread that was not started by `in_order`.
    """
    return _ending.get()


def in_order(
    work: Callable[[A], T], items: Iterable[A], threads: int, stopped: threading.Event
) -> Generator[T, None, None]:
    """What `work` makes of each item, in the order of the items, whatever the order of completion.

    The first error, in whatever thread, and an interrupt set `stopped`, so that `work` can end early. No
    other item is begun; when those begun have ended, the error is raised. With one thread there is none:
    each item is worked on when its result is asked for.
    """
    if threads == 1:
        yield from map(work, items)
        return
    failed: list[BaseException] = []
    waiting: deque[Future[T]] = deque()
    changed = threading.Condition()
    begun = 0

    def one(item: A) -> T:
        nonlocal begun
        _ending.set(stopped)
        with changed:
            if stopped.is_set():
                raise CancelledError
            begun += 1
        try:
            return work(item)
        except BaseException as error:
            failed.append(error)
            stopped.set()
            raise
        finally:
            with changed:
                begun -= 1
                changed.notify()

    pool = ThreadPoolExecutor(threads)
    ended: BaseException | None = None
    try:
        for item in items:
            waiting.append(pool.submit(one, item))
            if len(waiting) == AHEAD * threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    except Exception as error:
        ended = failed[0] if failed else error
    finally:
        with changed:
            stopped.set()
            # The pool does not know of a thread in whose start it was interrupted.
            changed.wait_for(lambda: not begun)
        pool.shutdown(cancel_futures=True)
        stopped.clear()
    if ended is not None:
        raise ended


class Once(Generic[T]):
    """Makes a thing once for all threads that ask for it at the same time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._making: dict[Hashable, Future[T]] = {}

    def __call__(self, name: Hashable, held: Callable[[], T | None], make: Callable[[], T]) -> T:
        """What is held, else what another thread is making, else what `make` makes.

        `make` has to leave its result where `held` finds it. If it fails, it fails for all who wait.
        """
        with self._lock:
            if (found := held()) is not None:
                return found
            first = name not in self._making
            making = self._making.setdefault(name, Future())
        if first:
            try:
                making.set_result(make())
            except BaseException as error:
                making.set_exception(error)
            finally:
                with self._lock:
                    del self._making[name]
        return making.result()
