"""MovieLens 1M: 1 000 209 ratings by 6 040 users."""

from harness.datasets.base import OfficialFile
from harness.datasets.movielens import LOCATION, MovieLens
from harness.datasets.ratings import COLONS

SOURCE = MovieLens(
    name="ml-1m",
    title="MovieLens 1M, official ratings, each user's last one apart",
    # Size and SHA-256 as in tensorflow/datasets, url_checksums/movielens.txt
    files=(
        OfficialFile(
            "ml-1m.zip",
            LOCATION + "ml-1m.zip",
            "a6898adb50b9ca05aa231689da44c217cb524e7ebd39d264c56e2832f2c54e20",
            5917549,
        ),
    ),
    member="ml-1m/ratings.dat",
    layout=COLONS,
    expected={"users": 6_040, "items": 3_706, "ratings": 1_000_209},
)
