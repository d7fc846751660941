"""Which calls of a run can be made before any of its replies is known: what goes into one batch.

A run is gone through several times without a model, with a different made-up reply in place of each
unknown one. A request that is the same every time does not depend on them. The others, such as a
question about an argument that is yet to be written, wait for the next batch.
"""

from collections.abc import Callable

from medagents.keys import canonical, key_of
from medagents.recorder import Mode, Recorder
from medagents.recordings import Record, Store, make_record
from medagents.types import Model, Provenance, Reply, Request, Slot, Status, Usage

Pending = list[tuple[Slot, Request]]

MADE_UP: tuple[Callable[[str], str | None], ...] = (
    lambda key: None,
    lambda key: "A",
    lambda key: "B",
    lambda key: "AB"[int(key[0], 16) % 2],
    lambda key: f"The finding {key[:8]} decides. B" if int(key[1], 16) % 2 else f"The finding {key[:8]}. A",
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
    passes = []
    for made_up in MADE_UP:
        recorder = _Pretending(model, store, made_up, publishable)
        run(recorder)
        passes.append(recorder.pending)
    first, *others = passes
    return [
        (slot, request)
        for slot, (key, request) in first.items()
        if all(slot in other and other[slot][0] == key for other in others)
    ]


class _Pretending(Recorder):
    """Answers from the recordings, and else makes a reply up and notes the request."""

    def __init__(
        self, model: Model, store: Store, made_up: Callable[[str], str | None], publishable: bool
    ) -> None:
        super().__init__(model, store, Mode.RECORD, publishable)
        self.made_up = made_up
        self.pending: dict[Slot, tuple[str, Request]] = {}

    def ask(self, slot: Slot, request: Request) -> Record:
        """The record of a slot, or one that is made up and kept nowhere."""
        key = key_of(canonical(request))
        record = self._recorded(slot, request, key)
        if record is not None:
            return record
        twin = self.store.index(slot.cohort, self.model.name).by_key.get(key)
        if twin is None:
            self.pending[slot] = key, request
        reply = twin.reply if twin else _reply(self.made_up(key), self.model.name)
        return make_record(slot, request, reply, self.publishable)


def _reply(text: str | None, name: str) -> Reply:
    status = Status.ANSWERED if text else Status.EMPTY
    return Reply(text, status, "made up", name, Usage(), "made up", "", Provenance.SCRIPTED)
