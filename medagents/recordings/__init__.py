"""The committed call store: one JSON line a model call, in `<cohort>/<model>/<experiment>.jsonl`.

A line holds the request's key, the slot it fills, the canonical request (or, where the cohort's
text may not be published, a short digest of each field) and the reply. Appends are one locked
write, so concurrent writers and `kill -9` lose nothing but the line being written. A torn last
line is reported and left out; a damaged line elsewhere, two replies to one key, or two requests
for one slot are errors, never last-writer-wins.

A line ends at a newline byte and nowhere else: texts may hold U+2028 or U+0085, at which
`str.splitlines` splits too.

`record` is one line, `index` what is looked up, `shard` one file, `store` the folder of them.
"""

from medagents.recordings.index import Index
from medagents.recordings.record import (
    ConflictingRecordings,
    Record,
    ReplayMiss,
    StaleRecording,
    change,
    changed_fields,
    from_line,
    make_record,
    same_reply,
    to_line,
    wrong_key,
)
from medagents.recordings.shard import (
    locked,
    merge,
    read_shard,
    records_of,
    refreshing,
    shards,
    torn,
    write_shard,
)
from medagents.recordings.store import Store, last_of

__all__ = [
    "ConflictingRecordings",
    "Index",
    "Record",
    "ReplayMiss",
    "StaleRecording",
    "Store",
    "change",
    "changed_fields",
    "from_line",
    "last_of",
    "locked",
    "make_record",
    "merge",
    "read_shard",
    "records_of",
    "refreshing",
    "same_reply",
    "shards",
    "to_line",
    "torn",
    "write_shard",
    "wrong_key",
]
