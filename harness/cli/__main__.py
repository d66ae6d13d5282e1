"""What `python -m harness.cli` runs."""

from harness.cli import main

main()
