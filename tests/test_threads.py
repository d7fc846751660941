"""Work in threads: results in order, a bounded number at a time, an end without loss, nothing made twice."""

import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from medagents.threads import AHEAD, Once, in_order

SOON = 20
"""Seconds until a test that waits in vain fails."""


@pytest.fixture
def stopped() -> threading.Event:
    return threading.Event()


def event() -> threading.Event:
    return threading.Event()


def wait(for_event: threading.Event) -> None:
    assert for_event.wait(SOON), "waited in vain"


def test_results_come_in_the_order_of_the_items_whatever_the_order_of_completion(stopped) -> None:
    ended = [event() for _ in range(4)]
    completed = []

    def work(item: int) -> int:
        if item < 3:
            wait(ended[item + 1])  # each waits for the next one: the last ends first
        completed.append(item)
        ended[item].set()
        return item * item

    assert list(in_order(work, range(4), 4, stopped)) == [0, 1, 4, 9]
    assert completed == [3, 2, 1, 0]


def test_as_many_items_are_worked_on_at_a_time_as_there_are_threads_and_no_more(stopped) -> None:
    lock, together = threading.Lock(), threading.Barrier(3)
    now, most = 0, 0

    def work(item: int) -> None:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        together.wait(SOON)
        with lock:
            now -= 1

    assert len(list(in_order(work, range(30), 3, stopped))) == 30
    assert most == 3


def test_with_one_thread_there_is_none_and_nothing_is_done_ahead(stopped) -> None:
    threads = []
    results = in_order(lambda item: threads.append(threading.current_thread()), range(9), 1, stopped)
    next(results)
    next(results)
    assert threads == [threading.current_thread()] * 2


def test_items_are_taken_only_so_far_ahead_of_the_one_that_is_waited_for(stopped) -> None:
    taken, given = 0, 0

    def items() -> Iterator[int]:
        nonlocal taken
        for item in range(1000):
            taken += 1
            assert taken - given <= 2 * AHEAD
            yield item

    for result in in_order(lambda item: item, items(), 2, stopped):
        assert result == given
        given += 1
    assert (taken, given) == (1000, 1000)


def test_the_first_error_in_time_is_raised_when_those_begun_have_ended_and_no_other_begins(stopped) -> None:
    begun, ended = [], []

    def work(item: int) -> int:
        begun.append(item)
        if item == 2:
            raise ValueError("the third")
        wait(stopped)
        ended.append(item)
        if item == 0:
            raise KeyError("later, though an earlier item")
        return item

    with pytest.raises(ValueError, match="the third"):
        list(in_order(work, range(100), 3, stopped))
    assert sorted(begun) == [0, 1, 2]
    assert sorted(ended) == [0, 1]
    assert not stopped.is_set(), "another run may begin"


def test_an_interrupt_is_raised_when_those_begun_have_ended(stopped) -> None:
    begun, ended = [], []
    main = threading.main_thread().ident
    assert main == threading.get_ident()

    def work(item: int) -> None:
        begun.append(item)
        if item == 1:
            signal.pthread_kill(main, signal.SIGINT)
        wait(stopped)
        ended.append(item)

    with pytest.raises(KeyboardInterrupt):
        list(in_order(work, range(100), 2, stopped))
    assert sorted(begun) == sorted(ended) == [0, 1]


def test_a_caller_that_stops_asking_ends_the_work(stopped) -> None:
    begun = []

    def work(item: int) -> int:
        begun.append(item)
        if item:
            wait(stopped)
        return item

    with closing(in_order(work, range(100), 3, stopped)) as results:
        assert next(results) == 0
    assert len(begun) <= 4
    assert not stopped.is_set()


# Once


def at_once(count: int, call: Callable[[int], object]) -> list[object]:
    """What a call gives, or raises, in several threads that start together."""
    start = threading.Barrier(count)

    def one(number: int) -> object:
        start.wait(SOON)
        try:
            return call(number)
        except ValueError as error:
            return error

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(one, range(count)))


class Asked:
    """Looks for what nobody has made yet; `all` is set once so many have looked in vain."""

    def __init__(self, count: int) -> None:
        self.left, self.all = count, event()
        self.made: str | None = None

    def held(self) -> str | None:
        self.left -= self.made is None
        if not self.left:
            self.all.set()
        return self.made


def test_what_several_ask_for_at_once_is_made_once() -> None:
    once: Once[str] = Once()
    asked, makes = Asked(8), []

    def make() -> str:
        makes.append(1)
        wait(asked.all)
        asked.made = f"made {len(makes)}"
        return asked.made

    assert at_once(8, lambda _: once("it", asked.held, make)) == ["made 1"] * 8
    assert once("it", asked.held, make) == "made 1"
    assert len(makes) == 1


def test_different_things_are_made_at_the_same_time() -> None:
    once: Once[int] = Once()
    together = threading.Barrier(4)

    def make(number: int) -> int:
        together.wait(SOON)
        return number

    assert at_once(4, lambda number: once(number, lambda: None, lambda: make(number))) == [0, 1, 2, 3]


def test_what_cannot_be_made_fails_for_all_who_wait_and_may_be_made_later() -> None:
    once: Once[str] = Once()
    asked, makes = Asked(4), []

    def fail() -> str:
        makes.append(1)
        wait(asked.all)
        raise ValueError("no reply")

    assert [str(error) for error in at_once(4, lambda _: once("it", asked.held, fail))] == ["no reply"] * 4
    assert len(makes) == 1
    assert once("it", asked.held, lambda: "at last") == "at last"
