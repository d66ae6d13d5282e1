"""Parsers of single kinds of files, which several formats share."""
