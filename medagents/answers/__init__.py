r"""Read a reply: which option it settles on, or why none can be counted.

The last explicit answer wins, and a boxed letter after "I cannot choose" is that letter. Markup is blanked
without moving a character, so that every span is verbatim. Then the rules of `CUES` and the functions of
`FINDERS` propose findings, each of one `Weight`:

- stated: "Answer: C", a box, "I choose C", "C is the answer", a line that is only an option;
- opening: the first line opens with an option and goes on to explain it;
- qualified: an answer with a condition of other cases on it ("in pregnancy the answer is C");
- hinted: "most likely C", "C is correct", "if forced, C", the first of a ranking, the likeliest of shares; a
  refusal after it or a cut outweighs it;
- mentioned: the one option named at all; any refusal or cut outweighs it.

The heaviest that stands decides, the last of its weight. `judge` says which stand: what others said counts
only where the reply goes on to agree, and what is denied, doubted, asked, merely supposed or taken back does
not count. What a reply turns to ("wait, no. C", "on reflection C", "not A but C") is as firm as what it left.
Options ticked, crossed, judged or weighed one by one are read together.

Modules: `base` bounds and readings, `markup` plain text, `cues` words that announce an option, `stance` words
that tell how one is meant, `voices` words that tell whose view it is, `page` a reply laid out, `find` and
`lists` what looks for an answer, `judge` what stands, `unanswered` refusals and cuts, `reading` the whole for
one reply, `jsonl` for a file of them.

Known limits: irony; roman or ordinal answers ("the second option"); shares put before options ("70 % A"); a
letter beside another option's text is read by its letter; a peer who is not called a colleague, a doctor or
the like is not known for one; the only option named counts, even where it is told of the past ("was given
aspirin at home"). Not read, though a human would: "B is not right; C is", "C, or A if there are
nodes", "Dr Lee persuaded me to choose A", numbered answers that are not called a ranking ("1. C 2. A").
Languages other than English: only the commonest words for "answer" and "I choose". "I refuse to choose A"
counts as a refusal.
"""

from medagents.answers.jsonl import read_jsonl
from medagents.answers.reading import extract, labelled

__all__ = ["extract", "labelled", "read_jsonl"]
