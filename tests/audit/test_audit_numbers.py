"""Printed numbers and the rounding rule."""

import math
from decimal import Decimal

import pytest

from medagents.audit.numbers import numbers


@pytest.mark.parametrize(
    ("printed", "values"),
    [
        ("0.05", ["0.05"]),
        ("+0.11", ["0.11"]),
        ("-0.03", ["-0.03"]),
        ("15 of 40", ["15", "40"]),
        ("38 %", ["0.38"]),
        ("77 to 88 %", ["0.77", "0.88"]),
        ("[0.36, 0.68]", ["0.36", "0.68"]),
        ("0.61 (92/150)", ["0.61", "92", "150"]),
        ("0.60 / 0.43 / +0.17", ["0.60", "0.43", "0.17"]),
        ("1,349", ["1349"]),
        ("6e-8", ["6e-8"]),
        ("half", []),
    ],
)
def test_numbers_are_read_in_order(printed, values):
    assert [number.value for number in numbers(printed)] == [Decimal(value) for value in values]


@pytest.mark.parametrize(
    ("printed", "value", "reproduced"),
    [
        ("0.38", 0.375, True),  # half up and half to even
        ("0.37", 0.375, True),  # half down is not a rounding in use, but the tie belongs to both neighbours
        ("0.36", 0.375, False),
        ("0.11", 0.105, True),  # half up
        ("0.10", 0.105, True),  # half to even
        ("0.05", 0.0549, True),
        ("0.05", 0.0551, False),
        ("-0.03", -0.02857, True),
        ("-0.029", -0.02857, True),
        ("0.00", -0.0049, True),
        ("38 %", 15 / 40, True),
        ("16 %", 0.14, False),
        ("6e-8", 5.774e-8, True),
        ("6e-8", 6.6e-8, False),
        ("4.9e-5", 4.923e-5, True),
        ("1.0", 0.96, True),
        ("1.0", 0.94, False),
        ("120", 19, False),
        ("5", 5.51, False),
        ("5", 0.64 / 0.12, True),
    ],
)
def test_a_number_stands_for_what_rounds_to_it_at_its_last_digit(printed, value, reproduced):
    [number] = numbers(printed)
    assert number.reproduced_by(value) is reproduced


@pytest.mark.parametrize(
    ("printed", "value", "reproduced"),
    [
        ("< 4e-6", 3.99e-6, True),
        ("< 4e-6", 4e-6, False),
        ("> 0", 0.0, False),
        ("<= 1.1e-4", 1.13e-4, True),  # rounds to the bound
        ("<= 1.1e-4", 1.16e-4, False),
        (">= 0.27", 0.2655, True),
        (">= 0.27", 0.2645, False),
        (">= 0.27", 0.9, True),
    ],
)
def test_bounds_with_equality_allow_half_a_step_and_strict_ones_nothing(printed, value, reproduced):
    [number] = numbers(printed)
    assert number.reproduced_by(value) is reproduced


def test_an_end_of_an_interval_may_be_any_that_the_draws_give():
    low, high = numbers("[0.36, 0.68]")
    assert low.reproduced_by(0.350, 0.364) and not low.reproduced_by(0.350, 0.354)
    assert high.reproduced_by(0.677, 0.682)


def test_the_undefined_reproduces_nothing():
    [number] = numbers("0")
    assert not number.reproduced_by(math.nan)
