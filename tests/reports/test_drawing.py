"""What a chart is drawn from."""

import altair as alt
import pandas as pd
import pytest
import vl_convert
from altair.utils.schemapi import debug_mode

from harness.analysis.summary import analyse
from reports import theme, vega_lite
from reports.contents import sections_of
from reports.drawing import Drawing, drawn, inline
from reports.slimming import slim_svg
from reports.vega_lite import Chart, channel

ROWS = pd.DataFrame({"one": [1, 2], "other": [0.5, float("inf")], "name": ["a", None]})


def require_vega_lite(drawing):
    with debug_mode(True):
        alt.Chart.from_dict(drawing.spec, validate=True)


def layer(mark="point", rows=None):
    chart = Chart(inline(ROWS) if rows is None else rows).mark(mark)
    return chart.encode(x=channel("one:Q"), y=channel("other:Q"), tooltip=[channel("name:N")])


def altairs(mark, rows):
    """The same layer of the library that knows Vega-Lite's schema."""
    chart = getattr(alt.Chart(alt.InlineData(values=rows.values)), f"mark_{mark}")()
    return chart.encode(x="one:Q", y="other:Q", tooltip=[alt.Tooltip("name:N")])


def test_charts_are_written_for_the_vega_lite_whose_schema_the_tests_know():
    assert (vega_lite.SCHEMA, f"v{vega_lite.VERSION}") == (
        alt.SCHEMA_URL,
        alt.SCHEMA_VERSION.rpartition(".")[0],
    )


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


def test_layers_that_share_rows_carry_them_once():
    rows = inline(ROWS)
    drawing = drawn(layer("line", rows), layer("point", rows), height=90)
    require_vega_lite(drawing)
    assert drawing.spec["datasets"] == {drawing.spec["data"]["name"]: rows.values}
    assert [one["mark"]["type"] for one in drawing.spec["layer"]] == ["line", "point"]


def test_a_drawing_is_the_same_as_altairs_own_layers():
    rows, kinds = inline(ROWS), ("line", "point")
    ours = drawn(*(layer(kind, rows) for kind in kinds), height=90)
    theirs = alt.layer(*(altairs(kind, rows) for kind in kinds)).properties(height=90, width=theme.WIDTH)
    spec = theirs.to_dict(context={"pre_transform": False})
    assert ours.svg == slim_svg(vl_convert.vegalite_to_svg({**spec, **theme.style()}))


def test_what_is_not_finite_or_missing_is_null():
    assert inline(ROWS).values == [
        {"one": 1, "other": 0.5, "name": "a"},
        {"one": 2, "other": None, "name": None},
    ]
