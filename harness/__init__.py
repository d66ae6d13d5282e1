"""The host side: plans campaigns, runs them in isolated environments, measures and analyses."""

import os

# pydantic would look through every installed package for plug-ins, and let what it finds into our records.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
