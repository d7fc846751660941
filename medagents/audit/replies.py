"""Flips re-read from the authors' cached calls of section 4.1, where rows were not kept.

The cache holds 100 questions (50 MedQA, then 50 MedMCQA), four calls each: plain, options reordered, an
option lengthened, an option with words of the stem. The replies are read by `medagents.answers`.
"""

import re
from functools import lru_cache

import numpy as np
import pandas as pd

from medagents import stats
from medagents.answers import extract
from medagents.audit.quantities import Recomputed
from medagents.audit.rows import Rows
from medagents.types import MedagentsError, same_text

FILE = "cross_dataset/results/cache_medqa_vs_medmcqa.jsonl"
COHORTS = {"MedQA": range(50), "MedMCQA": range(50, 100)}
CALLS = ("clean", "option_order", "longest_option", "lexical_overlap")
OPTIONS = re.compile(r"\n\nOptions:\n(.+?)\n\nAnswer with", re.DOTALL)
LETTER = re.compile(r"^[A-J]\. ", re.MULTILINE)


@lru_cache(maxsize=1)
def chosen(rows: Rows) -> pd.DataFrame:
    """Text of the option each reply chooses, a line a question, a column a call; None where unread."""
    table = rows.table(FILE)
    if len(table) != len(CALLS) * 100:
        raise MedagentsError(f"{FILE}: {len(table)} calls, four for each of 100 questions needed")
    texts = [_option(key[0], reply) for key, reply in zip(table["key"], table["resp"], strict=True)]
    return pd.DataFrame(np.array(texts, dtype=object).reshape(-1, len(CALLS)), columns=list(CALLS))


def _option(prompt: str, reply: str) -> str | None:
    found = OPTIONS.search(prompt)
    if found is None:
        raise MedagentsError(f"{FILE}: a prompt without options")
    options = LETTER.sub("", found.group(1)).split("\n")
    option = extract(reply, options).option
    return None if option is None else same_text(options[option])


def flips(rows: Rows, names: list[str]) -> Recomputed:
    """Share of replies whose option text differs from the plain call's. Columns: cohort, cue.

    Texts are compared, as the paper does, so an option that the cue edited counts as another.
    """
    cohort, cue = names
    part = chosen(rows).loc[list(COHORTS[cohort])]
    both = part["clean"].notna() & part[cue].notna()
    found = stats.rate((part["clean"] != part[cue]).astype(float).where(both))
    return Recomputed((found.value,), found.n, found.low, found.high)


def questions(rows: Rows, names: list[str]) -> Recomputed:
    """How many different questions a cohort has in the cache. Columns: cohort."""
    part = COHORTS[names[0]]
    prompts = rows.table(FILE)["key"].str[0].iloc[len(CALLS) * part.start : len(CALLS) * part.stop]
    return Recomputed((float(prompts.str.split("\n\nOptions:\n").str[0].nunique()),))


KINDS = {"reply_flips": flips, "reply_questions": questions}
