"""One file per format; a module here with NAME, SUMMARY and read is one (harness.importers.base.Format)."""
