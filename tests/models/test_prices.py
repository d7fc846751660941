"""The dated table of prices: which line counts, what a call costs by it, and lines that are refused."""

from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from medagents.models.prices import TABLE, Prices, read
from medagents.types import Decoding, MedagentsError, Message, Request, Usage

TODAY = date(2026, 12, 1)
COLUMNS = "model,input,output,thoughts,batch,since,read,source\n"
LINE = "my-*,1,2,4,0.5,,2026-11-30,me\n"


def request(model: str, max_tokens: int = 100, characters: int = 2500) -> Request:
    return Request(model, (Message("user", "x" * characters),), decoding=Decoding(max_tokens=max_tokens))


def own(tmp_path: Path, lines: str = LINE) -> Path:
    path = tmp_path / "prices.csv"
    path.write_text(COLUMNS + lines, encoding="utf-8")
    return path


def test_every_line_says_when_and_where_it_was_read() -> None:
    table = read(TABLE)
    assert len({(price.model, price.since) for price in table}) == len(table) > 5
    for price in table:
        assert date(2026, 1, 1) <= price.read <= datetime.now(UTC).date()
        assert price.source.startswith("https://")
        assert 0 < price.input < price.output <= price.thoughts
        assert price.batch in (0.5, 1)


def test_thoughts_are_paid_like_a_reply() -> None:
    """gemini-3.5-flash: 1.50 USD a million tokens in, 9.00 out, including thinking."""
    price = Prices(today=TODAY).of(request("gemini-3.5-flash"))
    assert price.cost(Usage(1000, 200, 300)) == pytest.approx(0.0015 + 0.0018 + 0.0027)


def test_thoughts_may_have_a_price_of_their_own(tmp_path: Path) -> None:
    price = Prices(own(tmp_path), TODAY).of(request("my-model"))
    assert price.cost(Usage(1_000_000, 1_000_000, 1_000_000)) == 7.0
    assert price.cost(Usage()) == 0.0


def test_the_most_a_call_may_cost_is_a_full_reply_at_the_dearer_price(tmp_path: Path) -> None:
    """2,500 characters are at most 1,000 tokens; 100 more may all be thoughts."""
    price = Prices(own(tmp_path), TODAY).of(request("my-model"))
    assert price.most(request("my-model")) == pytest.approx((1000 * 1 + 100 * 4) / 1e6)


@pytest.mark.parametrize(("day", "output"), [((2026, 12, 31), 3.75), ((2027, 1, 1), 7.5)])
def test_a_price_holds_from_its_day_on(day: tuple[int, int, int], output: float) -> None:
    assert Prices(today=date(*day)).of(request("gemini-3.8-flash")).output == output


@pytest.mark.parametrize(
    ("model", "output"),
    [
        ("gemini-2.5-flash", 2.5),
        ("gemini-2.5-flash-001", 2.5),
        ("gemini-2.5-flash-lite", 0.4),
        ("gpt-4.1-mini", 1.6),
        ("gpt-4.1-mini-2025-04-14", 1.6),
        ("gpt-4.1-2025-04-14", 8.0),
    ],
)
def test_a_version_has_the_price_of_its_model_and_a_smaller_one_its_own(model: str, output: float) -> None:
    assert Prices(today=TODAY).of(request(model)).output == output


@pytest.mark.parametrize("model", ["gemini-2.5-flash-image", "gemini-2.5", "gpt-4", "Qwen/Qwen2.5-7B"])
def test_a_model_that_no_line_names_has_no_price(model: str) -> None:
    assert Prices(today=TODAY).find(request(model)) is None
    with pytest.raises(MedagentsError, match=rf"no price of {model} in .*prices\.csv; .*--prices FILE"):
        Prices(today=TODAY).of(request(model))


def test_the_users_lines_go_before_the_table_and_both_files_are_named(tmp_path: Path) -> None:
    path = own(tmp_path, "gemini-3.5-flash,1,2,2,0.5,,2026-11-30,my contract\n")
    prices = Prices(path, TODAY)
    assert prices.of(request("gemini-3.5-flash")).output == 2
    assert prices.of(request("gemini-3.5-flash-lite")).output == 2.5
    with pytest.raises(MedagentsError) as error:
        prices.of(request("stranger"))
    assert str(path) in str(error.value) and str(TABLE) in str(error.value)


def test_weights_on_this_machine_cost_nothing() -> None:
    local = replace(request("qwen2.5-coder-1.5b"), weights="ab" * 32)
    price = Prices(today=TODAY).of(local)
    assert price.most(local) == price.cost(Usage(10**6, 10**6, 10**6)) == 0.0


FAULTS = {
    "a price in words": ("my-*,free,2,4,0.5,,2026-11-30,me\n", r"prices\.csv:2: no line of prices"),
    "a price below 0": ("my-*,-1,2,4,0.5,,2026-11-30,me\n", r"prices\.csv:2: .*below 0"),
    "no number": ("my-*,nan,2,4,0.5,,2026-11-30,me\n", r"prices\.csv:2: .*below 0"),
    "no day": (LINE + "my-*,1,2,4,0.5,,yesterday,me\n", r"prices\.csv:3: no line of prices"),
    "no model": (" ,1,2,4,0.5,,2026-11-30,me\n", r"prices\.csv:2: a line names a model"),
    "a short line": ("my-*,1,2\n", r"prices\.csv:2: no line of prices"),
}


@pytest.mark.parametrize(("lines", "message"), FAULTS.values(), ids=FAULTS)
def test_a_damaged_line_is_named(tmp_path: Path, lines: str, message: str) -> None:
    with pytest.raises(MedagentsError, match=message):
        Prices(own(tmp_path, lines))


def test_other_columns_and_an_absent_file_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.csv"
    with pytest.raises(MedagentsError, match=r"other\.csv: cannot be read"):
        Prices(path)
    path.write_text("model,price\nm,1\n", encoding="utf-8")
    with pytest.raises(MedagentsError, match="the columns must be model,input,output"):
        Prices(path)
