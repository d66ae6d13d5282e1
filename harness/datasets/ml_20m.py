"""MovieLens 20M: 20 000 263 ratings by 138 493 users."""

from harness.datasets.base import OfficialFile
from harness.datasets.movielens import LOCATION, MovieLens
from harness.datasets.ratings import CSV

SOURCE = MovieLens(
    name="ml-20m",
    title="MovieLens 20M, official ratings, each user's last one apart",
    # Size and SHA-256 as in tensorflow/datasets, url_checksums/movielens.txt
    files=(
        OfficialFile(
            "ml-20m.zip",
            LOCATION + "ml-20m.zip",
            "96f243c338a8665f6bcc89c53edf6ee39162a846940de6b7c8c48aeada765ff3",
            198702078,
        ),
    ),
    member="ml-20m/ratings.csv",
    layout=CSV,
    expected={"users": 138_493, "items": 26_744, "ratings": 20_000_263},
)
