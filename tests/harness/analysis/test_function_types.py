"""Types of functions: the study's for what it names, a user's own before them, unknown for all others."""

import pandas as pd
import pytest

from harness.analysis.function_types import TYPES_FILE, of_campaign
from harness.errors import UnsafeFile, UsageError
from tests.conftest import SHARED

PUBLISHED = SHARED / "published" / "icse22"


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        ("torch.nn.functional.relu", "complex calculation"), ("torch.cat", "complex implementation"),
        ("torch.nn.functional.dropout", "large data"), ("torch.cuda.synchronize", "device dependency"),
        ("torch.autograd.backward", "unknown"), ("torch.nn.modules.conv.Conv2d._conv_forward", "complex calculation"),
        ("nobody.knows", "unknown"), ("", "unknown"),
    ],
)  # fmt: skip
def test_functions_have_the_types_of_the_study(tmp_path, function, kind):
    assert of_campaign(tmp_path).of(function) == kind


def test_every_marker_that_the_study_printed_is_there(tmp_path):
    tables = [PUBLISHED / "table5_pytorch_training.csv", PUBLISHED / "table7_tensorflow_training.csv"]
    if not all(path.exists() for path in tables):
        pytest.skip("the printed tables are not beside this checkout: shared/published/icse22")
    types = of_campaign(tmp_path)
    for row in pd.concat(map(pd.read_csv, tables)).to_dict("records"):
        name = row["api"].replace("Torch.", "torch.").replace("TensorFlow.", "tensorflow.")
        assert types.of(name) == row["type"].replace("calculations", "calculation"), name


def test_a_campaign_s_own_table_goes_first_and_may_name_many(tmp_path):
    (tmp_path / TYPES_FILE).write_text(
        "function,type,why\njax.*,complex implementation,\ntorch.cat,large data,mine\n"
    )
    types = of_campaign(tmp_path)
    assert types.of("jax._src.compiler.backend_compile_and_load") == "complex implementation"
    assert types.of("torch.cat") == "large data"
    assert types.of("torch.addmm") == "complex calculation"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("function,kind\na,b\n", "needs the columns function and type"),
        ("function,type\na,slow\n", "'slow' is no type of a function; the types are complex calculation"),
        ("function,type\na\n", "'None' is no type"),
        ("type,function\nunknown\n", "a row names no function"),
        ("function,type\na,\x1b[2J\n", r"'\\\\x1b\[2J' is no type"),
        ('function,type\n"a,b\n', "cannot be read"),
    ],
)
def test_a_table_that_is_wrong_is_one_line(tmp_path, text, reason):
    (tmp_path / TYPES_FILE).write_text(text)
    with pytest.raises(UsageError, match=reason) as told:
        of_campaign(tmp_path)
    assert "\n" not in str(told.value)


def test_no_text_at_all_is_one_line(tmp_path):
    (tmp_path / TYPES_FILE).write_bytes(b"function,type\n\xff\xfe,unknown\n")
    with pytest.raises(UsageError, match="cannot be read"):
        of_campaign(tmp_path)


def test_a_link_is_not_followed(tmp_path):
    (tmp_path / "other").write_text("function,type\n")
    (tmp_path / TYPES_FILE).symlink_to(tmp_path / "other")
    with pytest.raises(UnsafeFile):
        of_campaign(tmp_path)


def test_endless_tables_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("harness.analysis.function_types.MOST_ROWS", 2)
    (tmp_path / TYPES_FILE).write_text("function,type\n" + "a,unknown\n" * 3)
    with pytest.raises(UsageError, match="more than the 2 rows"):
        of_campaign(tmp_path)
