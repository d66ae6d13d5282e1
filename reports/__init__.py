"""The HTML report: sections, figures and one page. Shows what harness.analysis computed; computes nothing itself."""
