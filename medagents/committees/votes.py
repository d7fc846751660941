"""Counting what members say: the modal option, how many share it, and silent agreement."""

from collections import Counter
from collections.abc import Sequence

from medagents.committees.session import Utterance
from medagents.types import Status


def plurality(turns: Sequence[Utterance]) -> int | None:
    """The option named most; at a tie the one named first. None where nobody names one."""
    counts = Counter(turn.option for turn in turns if turn.option is not None)
    return max(counts, key=counts.__getitem__) if counts else None


def agreement(turns: Sequence[Utterance]) -> float:
    """Share of the modal option among the turns that name one; 0 where none does."""
    named = [turn.option for turn in turns if turn.option is not None]
    return max(Counter(named).values()) / len(named) if named else 0.0


def unanimous(turns: Sequence[Utterance]) -> bool:
    """Whether all turns name one and the same option; one that names none breaks unanimity."""
    return bool(turns) and len({turn.option for turn in turns}) == 1 and turns[0].option is not None


def decided(option: int | None) -> Status:
    """Status of a vote: answered, or unparseable where nobody named an option."""
    return Status.UNPARSEABLE if option is None else Status.ANSWERED
