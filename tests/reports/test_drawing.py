"""What a chart is drawn from."""

import altair as alt
import pandas as pd
from altair.utils.schemapi import debug_mode

from reports import theme
from reports.drawing import inline
from reports.render import render


def test_every_chart_of_a_report_is_what_vega_lite_takes(campaign, monkeypatch):
    """Which `drawn` itself does not ask, because it takes half of the time."""
    styled, charts = theme.styled, []

    def asked(chart, *width):
        with debug_mode(True):
            charts.append(styled(chart, *width).to_dict(validate=True))
        return styled(chart, *width)

    monkeypatch.setattr(theme, "styled", asked)
    render(campaign)
    assert charts


def test_copies_of_a_chart_share_its_rows():
    rows = inline(pd.DataFrame({"one": [1]}))
    chart = alt.Chart(rows).mark_point()
    assert chart.copy(deep=True).data is rows
