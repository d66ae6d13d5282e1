"""What the rows of a translation's sentences are, and the file of what the test's should have become."""

from __future__ import annotations

PADDING, UNKNOWN, BEGIN, END = 0, 1, 2, 3
FIRST_SUBWORD = 4
TRAIN_LENGTH, TEST_LENGTH = 50, 200  # subwords of a row, the end among them
REFERENCES = "references.txt"  # beside the arrays: the translations of the test's sentences, a line each
SUBWORDS = (
    "subwords.model"  # beside the arrays: what turns numbers into text again; absent where they are words
)
