"""The small language of the claims table: columns and filters of a table of rows.

A column is a name, or a comparison that is 1 where it holds: `board==wrong` and `bare!=ground_truth` of two
columns, `arm=='planted'` with a word, `eligible==1` with a number. A filter joins such terms by `;` and
keeps the rows where all hold. Undefined on either side is undefined, and not kept: `bare!=''` keeps what is
defined.
"""

import re

import pandas as pd

from medagents.types import MedagentsError

COMPARISON = re.compile(r"^(.+?)(==|!=)(.+)$")
WORD = re.compile(r"^'(.*)'$")


def column(table: pd.DataFrame, term: str) -> pd.Series:
    """One column as floats, NaN where undefined.

    Raises:
        MedagentsError: no such column, or one that holds words where numbers are needed.
    """
    comparison = COMPARISON.match(term)
    if comparison is None:
        values = named(table, term)
        try:
            return values.astype(object).where(values.notna(), None).astype(float)
        except (TypeError, ValueError):
            raise MedagentsError(f"column {term!r} holds words, not outcomes") from None
    left, sign, right = comparison.groups()
    first, word = named(table, left), WORD.match(right)
    if word:
        equal = first.astype(object).eq(word.group(1)).where(first.notna())
    elif right.isdecimal():
        equal = column(table, left).eq(int(right)).where(first.notna())
    else:
        second = named(table, right)
        equal = (first == second).where(first.notna() & second.notna())
    values = equal.astype(object).where(equal.notna(), None).astype(float)
    return 1 - values if sign == "!=" else values


def named(table: pd.DataFrame, name: str) -> pd.Series:
    """A column as it is.

    Raises:
        MedagentsError: the rows have no such column.
    """
    if name not in table:
        raise MedagentsError(f"no column {name!r} in these rows; they have: {', '.join(map(str, table))}")
    return table[name]


def where(table: pd.DataFrame, terms: str) -> pd.DataFrame:
    """The rows for which every term of a filter holds; all rows if it is empty."""
    for term in filter(None, (part.strip() for part in terms.split(";"))):
        table = table[column(table, term) == 1]
    return table.reset_index(drop=True)
