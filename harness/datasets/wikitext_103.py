"""WikiText-103: 103 227 021 words for training, 267 735 different ones."""

from harness.datasets.base import OfficialFile
from harness.datasets.wikitext import LOCATION, WikiText

SOURCE = WikiText(
    name="wikitext-103",
    title="WikiText-103, official training and test tokens, as word numbers",
    # Size and SHA-256 as in huggingface/datasets, datasets/wikitext/dataset_infos.json
    files=(
        OfficialFile(
            "wikitext-103-v1.zip",
            LOCATION + "wikitext-103-v1.zip",
            "242ba0f20b329cfdf1ccc61e9e9e5b59becf189db7f7a81cd2a0e2fc31539590",
            190229076,
        ),
    ),
    folder="wikitext-103",
    expected={"words": 267_735, "train tokens": 103_227_021, "test tokens": 245_569},
)
