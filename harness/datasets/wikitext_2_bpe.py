"""WikiText-2's raw text as 8 192 different tokens."""

from harness.datasets.base import OfficialFile
from harness.datasets.wikitext import LOCATION
from harness.datasets.wikitext_bpe import WikiTextBpe

SOURCE = WikiTextBpe(
    name="wikitext-2-bpe",
    title="WikiText-2, official raw training and test text, as byte pairs",
    # Size, SHA-256 and lines as in huggingface/datasets, datasets/wikitext/dataset_infos.json
    files=(
        OfficialFile(
            "wikitext-2-raw-v1.zip",
            LOCATION + "wikitext-2-raw-v1.zip",
            "ef7edb566e3e2b2d31b29c1fdb0c89a4cc683597484c3dc2517919c615435a11",
            4721645,
        ),
    ),
    folder="wikitext-2-raw",
    expected={"train lines": 36_718, "test lines": 4_358},
)
