"""WMT16, English to German: Europarl v7, Common Crawl and News Commentary v11; newstest2014 is the test."""

from harness.datasets.base import OfficialFile
from harness.datasets.translation import Corpus, Translation

EUROPARL = "training-parallel-europarl-v7.tgz"
COMMON_CRAWL = "training-parallel-commoncrawl.tgz"
NEWS_COMMENTARY = "training-parallel-nc-v11.tgz"
DEVELOPMENT = "dev.tgz"

SOURCE = Translation(
    name="wmt16-en-de",
    title="WMT16 English to German, official training and newstest2014, as subwords",
    # Sizes and SHA-256 as in tensorflow/datasets, url_checksums/wmt16_translate.txt
    files=(
        OfficialFile(
            EUROPARL,
            f"http://www.statmt.org/wmt13/{EUROPARL}",
            "0224c7c710c8a063dfd893b0cc0830202d61f4c75c17eb8e31836103d27d96e7",
            657632379,
        ),
        OfficialFile(
            COMMON_CRAWL,
            f"http://www.statmt.org/wmt13/{COMMON_CRAWL}",
            "c7a74e2ea01ac6c920123108627e35278d4ccb5701e15428ffa34de86fa3a9e5",
            918311367,
        ),
        OfficialFile(
            NEWS_COMMENTARY,
            f"http://data.statmt.org/wmt16/translation-task/{NEWS_COMMENTARY}",
            "cfe8ab047e05043476e498ee765c98e939c7b7d6d294e856344c84476b619d6a",
            75178032,
        ),
        OfficialFile(
            DEVELOPMENT,
            f"http://data.statmt.org/wmt19/translation-task/{DEVELOPMENT}",
            "7a7deccf82ebb05ba508dba5eb21356492224e8f630ec4f992132b029b4b25e7",
            38654961,
        ),
    ),
    corpora=(
        Corpus(EUROPARL, "training/europarl-v7.de-en.en", "training/europarl-v7.de-en.de"),
        Corpus(COMMON_CRAWL, "commoncrawl.de-en.en", "commoncrawl.de-en.de"),
        Corpus(
            NEWS_COMMENTARY,
            "training-parallel-nc-v11/news-commentary-v11.de-en.en",
            "training-parallel-nc-v11/news-commentary-v11.de-en.de",
        ),
    ),
    # The archive has the pairs as a test from German; the sentences of both directions are the same.
    test=Corpus(DEVELOPMENT, "dev/newstest2014-deen-ref.en.sgm", "dev/newstest2014-deen-src.de.sgm"),
    test_pairs=3003,
    vocabulary=32_000,
    sampled_pairs=1_000_000,
)
