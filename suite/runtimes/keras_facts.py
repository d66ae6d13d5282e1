"""What Keras reports of itself, above the facts of its backend's runtime."""

from __future__ import annotations

from typing import Any

import keras


def keras_facts(framework: str, below: dict[str, Any]) -> dict[str, Any]:
    own = {"framework": framework, "version": keras.__version__}
    libraries = {**below["libraries"], below["framework"]: below["version"]}
    build = {**below["build"], "backend": keras.backend.backend()}
    return {**below, **own, "libraries": libraries, "build": build}
