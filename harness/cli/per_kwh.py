"""What a kilowatt-hour emits and costs, as the user states it, with the source: --carbon and --price."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import click

from harness.errors import UsageError

if TYPE_CHECKING:  # its room loads nothing, but no help waits for what it may load one day
    from harness.analysis.stated import Factor

NUMBER = r"(\d+(?:\.\d+)?(?:e[+-]?\d+)?)\s*"
CARBON = re.compile(rf"{NUMBER}(k?g)(?:CO2e)?\s*/\s*kWh", re.IGNORECASE)
PRICE = re.compile(rf"{NUMBER}([A-Z]{{3}})\s*/\s*kWh")
SIZES = {"g": 1.0, "kg": 1000.0}
MOST = 1e9
LONGEST_SOURCE = 300
NAMES = ("carbon", "carbon_source", "price", "price_source")
Amount = tuple[float, str]


class PerKwh(click.ParamType[Amount]):
    """Gives the number and its unit, as the pattern has them."""

    def __init__(self, name: str, pattern: re.Pattern[str], example: str) -> None:
        self.name, self.pattern, self.example = name, pattern, example

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Amount:
        if not isinstance(value, str):
            given: Amount = value
            return given
        found = self.pattern.fullmatch(value.strip())
        if not found or not 0 < float(found[1]) < MOST:
            self.fail(f"'{value}' is no {self.name} above 0; write it as {self.example}", param, ctx)
        return float(found[1]), found[2]


_OPTIONS: tuple[Callable[[Any], Any], ...] = (
    click.option(
        "--carbon",
        type=PerKwh("emission per kilowatt-hour", CARBON, "350g/kWh or 0.35kg/kWh"),
        metavar="GRAMS/kWh",
        help="Tell emissions, too, by this factor: 350g/kWh. Never assumed.",
    ),
    click.option(
        "--carbon-source", metavar="TEXT", help="Whose factor --carbon is: grid, year, publication."
    ),
    click.option(
        "--price",
        type=PerKwh("price per kilowatt-hour", PRICE, "0.30EUR/kWh"),
        metavar="MONEY/kWh",
        help="Tell money, too, by this price: 0.30EUR/kWh. Never assumed.",
    ),
    click.option("--price-source", metavar="TEXT", help="Whose price --price is: tariff, date."),
)


def options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Gives a command --carbon and --price with their sources."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def taken(asked: dict[str, Any]) -> tuple[Factor, ...]:
    """What was stated, taken out of the options. Raises: UsageError for a factor without a source, or the reverse."""
    carbon, carbon_source, price, price_source = (asked.pop(name, None) for name in NAMES)
    return tuple(_factors(carbon, carbon_source, price, price_source))


def _factors(
    carbon: Amount | None, carbon_source: str | None, price: Amount | None, price_source: str | None
) -> Iterator[Factor]:
    from harness.analysis.stated import emissions, money

    if source := _source("carbon", carbon, carbon_source, "Umweltbundesamt 2024, German grid"):
        assert carbon is not None
        yield emissions(carbon[0] * SIZES[carbon[1].lower()], source)
    if source := _source("price", price, price_source, "our tariff, March 2026"):
        assert price is not None
        yield money(*price, source)


def _source(name: str, amount: Amount | None, source: str | None, example: str) -> str:
    """On one line; empty where nothing was stated."""
    told = " ".join((source or "").split())
    if amount is None and source is None:
        return ""
    if amount is None:
        raise UsageError(f"--{name}-source says whose --{name} is: state --{name}, too")
    if not told:
        raise UsageError(f'--{name} needs its source: --{name}-source "{example}"')
    if len(told) > LONGEST_SOURCE or not told.isprintable():
        raise UsageError(f"--{name}-source is one printable line of at most {LONGEST_SOURCE} letters")
    return told
