"""Which calls a run has yet to make, and which of them before any of its replies is known.

A run is gone through several times without a model, with a different made-up reply in place of each
unknown one. A request that is the same every time does not depend on them and can go into a batch. The
others, such as a question about an argument that is yet to be written, wait for the next one.
"""

from collections.abc import Callable, Iterator, Sequence

from medagents.keys import canonical, key_of
from medagents.recorder import Mode, Recorder
from medagents.recordings import Record, StaleRecording, Store, make_record
from medagents.types import Model, Provenance, Reply, Request, Slot, Status, Usage

Pending = list[tuple[Slot, Request]]

MADE_UP: tuple[Callable[[str], str | None], ...] = (
    lambda key: None,
    lambda key: "A",
    lambda key: "B",
    lambda key: "AB"[int(key[0], 16) % 2],
    lambda key: f"The finding {key[:8]} decides. B" if int(key[1], 16) % 2 else f"The finding {key[:8]}. A",
    *(lambda key, at=at: "ABCDE"[int(key[at : at + 2], 16) % 5] for at in range(2, 10)),
)
"""Key of a request -> a reply that it might have: none, agreement, and dissent in letters and words."""


def pending(
    run: Callable[[Recorder], object], model: Model, store: Store, publishable: bool = True
) -> Pending:
    """The slots of a run that have no recording, with those requests that no reply can change.

    Empty when all is recorded: a run of an experiment that builds on replies needs a few rounds of
    asking and storing until it is.

    Args:
        run: makes a run with the recorder it is given, such as `study.run_together`.
        model: builds the requests; it is not called.
        store: the recordings, which are not changed.
        publishable: as for `Recorder`.

    Raises:
        StaleRecording: a slot was recorded with another request.
    """
    first, *others = (recorder for [recorder] in passes(run, [model], store, publishable))
    return [
        (slot, request)
        for slot, (key, request) in first.pending.items()
        if all(slot in other.pending and other.pending[slot][0] == key for other in others)
    ]


def passes(
    run: Callable[..., object],
    models: Sequence[Model],
    store: Store,
    publishable: bool = True,
    mode: Mode = Mode.RECORD,
) -> Iterator[list["Pretending"]]:
    """The recorders after a run, for each set of `MADE_UP` replies in turn; arguments as for `pending`, but
    `run` takes a recorder for each of the models, in their order.

    In mode `refresh` every call is yet to be made, and recorded replies stand for what will come.
    """
    for made_up in MADE_UP:
        recorders = [Pretending(model, store, mode, publishable, made_up) for model in models]
        run(*recorders)
        yield recorders


class Pretending(Recorder):
    """Answers from the recordings, and else makes a reply up and notes the slot's key and request.

    `used` holds the key of every slot that was asked for.
    """

    def __init__(
        self,
        model: Model,
        store: Store,
        mode: Mode,
        publishable: bool,
        made_up: Callable[[str], str | None],
    ) -> None:
        super().__init__(model, store, mode, publishable)
        self.made_up = made_up
        self.used: dict[Slot, str] = {}
        self.pending: dict[Slot, tuple[str, Request]] = {}

    @property
    def concurrency(self) -> int:
        """One: nothing is called, and slots are noted in the order of the run."""
        return 1

    def ask(self, slot: Slot, request: Request) -> Record:
        """The record of a slot, or one that is made up and kept nowhere."""
        key = self.used[slot] = key_of(canonical(request))
        index = self.store.index(slot.cohort, self.model.name)
        record = index.by_slot.get(slot)
        if self.mode is Mode.RECORD and record is not None:
            if record.key != key:
                raise StaleRecording(self._stale(record, request))
            return record
        twin = record or index.by_key.get(key)
        if twin is None or self.mode is Mode.REFRESH:
            self.pending[slot] = key, request
        reply = twin.reply if twin else _reply(self.made_up(key), self.model.name)
        return make_record(slot, request, reply, self.publishable)


def _reply(text: str | None, name: str) -> Reply:
    status = Status.ANSWERED if text else Status.EMPTY
    return Reply(text, status, "made up", name, Usage(), "made up", "", Provenance.SCRIPTED)
