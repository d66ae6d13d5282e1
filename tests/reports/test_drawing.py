"""What a chart is drawn from."""

import altair as alt
import pandas as pd
import pytest
import vl_convert
from altair.utils.schemapi import debug_mode

from harness.analysis.summary import analyse
from reports.contents import sections_of
from reports.drawing import Drawing, _compiled, _to_vega, drawn, inline
from reports.slimming import slim_svg

ROWS = pd.DataFrame({"one": [1, 2], "other": [0.5, float("inf")], "name": ["a", None]})


def require_vega_lite(drawing):
    with debug_mode(True):
        alt.Chart.from_dict(drawing.spec, validate=True)


def layer(mark="mark_point", rows=None):
    chart = getattr(alt.Chart(inline(ROWS) if rows is None else rows), mark)()
    return chart.encode(x="one:Q", y="other:Q", tooltip=[alt.Tooltip("name:N")])


def test_every_chart_of_a_report_is_what_vega_lite_takes(campaign):
    """Which `drawn` itself does not ask, because it takes half of the time."""
    sections = sections_of(analyse(campaign), campaign)
    panels = [panel for each in sections for _, figure in each.figures for panel in figure.panels]
    for panel in panels:
        require_vega_lite(panel.drawing)
    assert panels


def test_what_vega_lite_does_not_take_is_seen():
    with pytest.raises(Exception, match="schema"):
        require_vega_lite(Drawing({**drawn(layer()).spec, "mark": {"type": "blot"}}))


def test_copies_of_a_chart_share_its_rows():
    rows = inline(pd.DataFrame({"one": [1]}))
    chart = alt.Chart(rows).mark_point()
    assert chart.copy(deep=True).data is rows


def test_layers_that_share_rows_carry_them_once():
    rows = inline(ROWS)
    drawing = drawn(layer("mark_line", rows), layer("mark_point", rows), height=90)
    require_vega_lite(drawing)
    assert drawing.spec["datasets"] == {drawing.spec["data"]["name"]: rows.values}
    assert [one["mark"]["type"] for one in drawing.spec["layer"]] == ["line", "point"]


def test_a_drawing_is_the_same_as_altairs_own_layers():
    rows = inline(ROWS)
    layers = layer("mark_line", rows), layer("mark_point", rows)
    ours, theirs = drawn(*layers, height=90), drawn(alt.layer(*layers).properties(height=90))
    assert ours.svg == theirs.svg


def test_what_is_not_finite_or_missing_is_null():
    assert inline(ROWS).values == [
        {"one": 1, "other": 0.5, "name": "a"},
        {"one": 2, "other": None, "name": None},
    ]


def test_a_drawing_looks_as_it_would_with_its_tooltips():
    drawing = drawn(layer())
    assert "tooltip" in str(drawing.spec) and "tooltip" not in str(_compiled(drawing.spec))
    assert drawing.svg == slim_svg(vl_convert.vegalite_to_svg(drawing.spec))


def test_rows_with_a_column_called_tooltip_keep_it():
    rows = pd.DataFrame({"one": [1], "other": [2.0], "name": ["a"], "tooltip": ["b"]})
    spec = drawn(layer(rows=inline(rows))).spec
    assert [_compiled(spec)["data"][0]["values"]] == list(spec["datasets"].values())


def test_charts_that_differ_in_rows_alone_are_compiled_once_and_look_as_if_each_were():
    frames = ROWS, ROWS.assign(other=[0.1, 9.0], name=["b", "c"]), ROWS.head(0)
    charts = [drawn(layer("mark_line", inline(one)), layer("mark_point", inline(one))) for one in frames]
    _to_vega.cache_clear()
    svgs = [one.svg for one in charts]
    assert _to_vega.cache_info().misses == 1 and len(set(svgs)) == 3
    assert svgs == [slim_svg(vl_convert.vegalite_to_svg(one.spec)) for one in charts]
