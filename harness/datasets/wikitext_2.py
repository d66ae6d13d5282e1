"""WikiText-2: 2 088 628 words for training, 33 278 different ones; the test is that of WikiText-103."""

from harness.datasets.base import OfficialFile
from harness.datasets.wikitext import LOCATION, WikiText

SOURCE = WikiText(
    name="wikitext-2",
    title="WikiText-2, official training and test tokens, as word numbers",
    # Size and SHA-256 as in huggingface/datasets, datasets/wikitext/dataset_infos.json
    files=(
        OfficialFile(
            "wikitext-2-v1.zip",
            LOCATION + "wikitext-2-v1.zip",
            "92675f1d63015c1c8b51f1656a52d5bdbc33aafa60cc47a218a66e7ee817488c",
            4475746,
        ),
    ),
    folder="wikitext-2",
    expected={"words": 33_278, "train tokens": 2_088_628, "test tokens": 245_569},
)
