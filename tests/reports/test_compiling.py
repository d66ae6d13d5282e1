"""Charts that are alike are compiled once, and look as if each were."""

import json

import pandas as pd
import pytest
import vl_convert

from reports.compiling import _to_vega, compiled
from reports.drawing import drawn, inline
from reports.slimming import slim_svg
from reports.vega_lite import Chart, channel

ROWS = pd.DataFrame({"one": [1, 2], "other": [0.5, float("inf")], "name": ["a", None]})


def layer(mark="point", rows=ROWS, title="other", scale=None, ticks=None):
    y = channel("other:Q", title=title, scale=scale or {}, axis={} if ticks is None else {"values": ticks})
    return Chart(inline(rows)).mark(mark).encode(x=channel("one:Q"), y=y, tooltip=[channel("name:N")])


def as_vega_lite_alone(one):
    return slim_svg(vl_convert.vegalite_to_svg(one.spec))


@pytest.fixture
def compilings():
    _to_vega.cache_clear()
    return lambda: _to_vega.cache_info().misses


def test_a_drawing_looks_as_it_would_with_its_tooltips():
    drawing = drawn(layer())
    assert "tooltip" in str(drawing.spec) and "tooltip" not in compiled(drawing.spec)
    assert drawing.svg == as_vega_lite_alone(drawing)


def test_rows_with_a_column_called_tooltip_keep_it():
    rows = pd.DataFrame({"one": [1], "other": [2.0], "name": ["a"], "tooltip": ["b"]})
    spec = drawn(layer(rows=rows)).spec
    assert [json.loads(compiled(spec))["data"][0]["values"]] == list(spec["datasets"].values())


def test_charts_that_differ_in_rows_alone_share_one(compilings):
    frames = ROWS, ROWS.assign(other=[0.1, 9.0], name=["b", "c"]), ROWS.head(0)
    charts = [drawn(layer("line", one), layer("point", one)) for one in frames]
    svgs = [one.svg for one in charts]
    assert compilings() == 1 and len(set(svgs)) == 3
    assert svgs == [as_vega_lite_alone(one) for one in charts]


def test_charts_that_differ_in_their_titles_share_one(compilings):
    titles = "joules", '"<b>\\ 0, "values": []', "Größe (\U0001f600)"
    charts = [drawn(layer("line", title=one), layer("point", title=one)) for one in titles]
    svgs = [one.svg for one in charts]
    assert compilings() == 1 and len(set(svgs)) == 3
    assert svgs == [as_vega_lite_alone(one) for one in charts]


def test_titles_of_layers_are_joined_where_they_differ_and_stand_once_where_not(compilings):
    several = ("joules", "seconds"), ("joules", "joules"), ("joules", "")
    charts = [drawn(layer("line", title=one), layer("point", title=other)) for one, other in several]
    assert [one.svg for one in charts] == [as_vega_lite_alone(one) for one in charts]
    assert "joules, seconds" in charts[0].svg and compilings() == 3


@pytest.mark.parametrize("kind", ["log", "linear"])
def test_ticks_and_the_ends_of_a_logarithmic_axis_may_differ(compilings, kind):
    places = ([0.1, 10.0], [1.0]), ([0.5, 2.0], [0.7, 1.0]), ([1.0, 1.5], [1.0])
    places = [(domain, [*ticks, 1.2][:2]) for domain, ticks in places]
    scales = [({"type": kind, "nice": False, "domain": domain}, ticks) for domain, ticks in places]
    charts = [drawn(layer("rule", scale=scale, ticks=ticks)) for scale, ticks in scales]
    svgs = [one.svg for one in charts]
    assert len(set(svgs)) == 3 and svgs == [as_vega_lite_alone(one) for one in charts]
    assert compilings() <= (2 if kind == "log" else 3)


def test_a_text_that_looks_like_rows_is_one():
    names = '"name": "rows-0", "values": []', "rows-0"
    charts = [drawn(layer(rows=ROWS.assign(name=[one, one]), title=one)) for one in names]
    assert [one.svg for one in charts] == [as_vega_lite_alone(one) for one in charts]
