"""Read replies from lines of JSON."""

import json
from typing import IO, Any

from medagents.answers.reading import extract, labelled
from medagents.types import MedagentsError


def read_jsonl(stream_in: IO[str], stream_out: IO[str]) -> int:
    """Read replies `{"id", "reply", "options"}` a line; write `{"id", "status", "option", "letter", "rule"}`.

    A stream: each result is written before the next line is read, so that results ahead of a broken line
    stand and only the rest need be run again. Blank lines are skipped. Returns the number of results.

    Raises:
        MedagentsError: at the first broken line, by its number.
    """
    done = 0
    for number, line in enumerate(stream_in, 1):
        if line.strip():
            try:
                result = _result(line)
            except MedagentsError as fault:
                message = f"line {number}: {fault}; mend or remove it (earlier lines are already written)"
                raise MedagentsError(message) from fault
            stream_out.write(json.dumps(result, ensure_ascii=False) + "\n")
            stream_out.flush()
            done += 1
    return done


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is not a JSON value")


def _result(line: str) -> dict[str, Any]:
    try:
        record = json.loads(line.removeprefix("\ufeff"), parse_constant=_no_number)
    except (ValueError, RecursionError) as fault:
        raise MedagentsError(f"not JSON ({fault})") from fault
    if not isinstance(record, dict) or not {"id", "reply", "options"} <= record.keys():
        raise MedagentsError('not an object with "id", "reply" and "options"')
    name, reply, options = record["id"], record["reply"], record["options"]
    if not isinstance(reply, str | None):
        raise MedagentsError(f"record {name!r}: reply is neither text nor null")
    texts = list(options.values()) if isinstance(options, dict) else options
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise MedagentsError(f"record {name!r}: options are neither a list of texts nor letter to text")
    try:
        answer, labels = extract(reply, options), labelled(options)[0]
    except MedagentsError as fault:
        raise MedagentsError(f"record {name!r}: {fault}") from fault
    letter = None if answer.option is None else labels[answer.option]
    status, rule = answer.status.value, answer.rule
    return {"id": name, "status": status, "option": answer.option, "letter": letter, "rule": rule}
