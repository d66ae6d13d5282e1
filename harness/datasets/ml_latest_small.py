"""MovieLens, the small one of 2018: 100 836 ratings by 610 users. For trials: it is no benchmark."""

from harness.datasets.base import OfficialFile
from harness.datasets.movielens import LOCATION, MovieLens
from harness.datasets.ratings import CSV

SOURCE = MovieLens(
    name="ml-latest-small",
    title="MovieLens latest-small (2018), official ratings, each user's last one apart",
    # Size and SHA-256 as in tensorflow/datasets, url_checksums/movielens.txt
    files=(
        OfficialFile(
            "ml-latest-small.zip",
            LOCATION + "ml-latest-small.zip",
            "696d65a3dfceac7c45750ad32df2c259311949efec81f0f144fdfb91ebc9e436",
            978202,
        ),
    ),
    member="ml-latest-small/ratings.csv",
    layout=CSV,
    expected={"users": 610, "items": 9_724, "ratings": 100_836},
)
