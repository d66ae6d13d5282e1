"""Sphinx' settings of the site; `make docs` builds it of what assemble.py gathers."""

project = "Joulemark"
author = project_copyright = "The Joulemark contributors"
extensions = ["myst_parser"]
exclude_patterns = ["site"]
myst_heading_anchors = 4
html_theme = "furo"
html_title = "Joulemark"
html_copy_source = False
html_show_sourcelink = False
