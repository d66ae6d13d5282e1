"""A run that is to begin with a file's weights: by its checksum, and never with others."""

from pathlib import Path

import numpy as np
import pytest

from suite.protocol import Request
from suite.run import MeasuredRun
from suite.spec import SettingError
from suite.ssd.spec import SPEC as SSD

SMALL = SSD.with_settings({"depth": 11, "most_side": 48, "channels": 16})


@pytest.mark.parametrize("value", ["resnet50.safetensors", "A" * 64, "0" * 63, "0" * 64 + "\n"])
def test_the_setting_is_a_checksum_and_nothing_else(value):
    with pytest.raises(SettingError, match="pretrained must be a file's SHA-256"):
        SSD.with_settings({"pretrained": value})
    assert SSD.pretrained == ""
    assert SSD.with_settings({"pretrained": "0a" * 32}).pretrained == "0a" * 32


def weights_of(spec, state_file=None):
    run = MeasuredRun(Request("r", "ssd", "torch", "train", "", 3), None, Path(), Path(), state_file)
    run.spec = spec
    return run._weights()


def test_weights_that_were_not_given_are_not_drawn_in_their_place():
    with pytest.raises(ValueError, match="it begins with the weights of a file, and was given none"):
        weights_of(SMALL.with_settings({"pretrained": "0a" * 32}))
    drawn = SMALL.initial_weights(3)
    assert all(np.array_equal(array, drawn[name]) for name, array in weights_of(SMALL).items())


def test_weights_that_were_given_are_those_that_it_begins_with(tmp_path):
    np.savez(file := tmp_path / "state.npz", **{"stem/kernel": np.ones(3, np.float32)})
    (name, array), *none = weights_of(SMALL.with_settings({"pretrained": "0a" * 32}), file).items()
    assert (name, array.tolist(), none) == ("stem/kernel", [1.0] * 3, [])
