"""WikiText-103's raw text as 8 192 different tokens."""

from harness.datasets.base import OfficialFile
from harness.datasets.wikitext import LOCATION
from harness.datasets.wikitext_bpe import WikiTextBpe

SOURCE = WikiTextBpe(
    name="wikitext-103-bpe",
    title="WikiText-103, official raw training and test text, as byte pairs",
    # Size, SHA-256 and lines as in huggingface/datasets, datasets/wikitext/dataset_infos.json
    files=(
        OfficialFile(
            "wikitext-103-raw-v1.zip",
            LOCATION + "wikitext-103-raw-v1.zip",
            "91c00ae287f0d699e18605c84afc9e45c192bc6b7797ff8837e5474655a33794",
            191984949,
        ),
    ),
    folder="wikitext-103-raw",
    expected={"train lines": 1_801_350, "test lines": 4_358},
)
