"""One `<name>.py` and one `<name>.html.j2` per section, found by `reports.render`; nothing is registered.

A section module has TITLE, ORDER (ascending on the page) and `view(analysis, campaign) -> dict`, a pure function
whose result its template receives under the same names. Where that is empty, the page goes without the section.
"""
