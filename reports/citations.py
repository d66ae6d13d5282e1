"""What a paper cites: the suite, and the studies whose plans it ships. BibTeX, of what is known and no more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

KEY = "joulemark"
TITLE = (
    "Joulemark: what the same machine-learning workload costs in joules, seconds, bytes and accuracy on each "
    "framework"
)
AUTHORS, LICENCE = "The Joulemark contributors", "Apache-2.0"  # as CITATION.cff has them
GREEN_AI = """@inproceedings{georgiou2022green,
  title = {{Green AI: Do Deep Learning Frameworks Have Different Costs?}},
  author = {Georgiou, Stefanos and Kechagia, Maria and Sharma, Tushar and Sarro, Federica and Zou, Ying},
  booktitle = {ICSE 2022},
  year = {2022},
  doi = {10.1145/3510003.3510221}
}"""
SOTILLOS = """@misc{sotillos2023evaluating,
  title = {{Evaluating the energy efficiency of PyTorch and TensorFlow frameworks}},
  author = {Sotillos and others},
  year = {2023},
  howpublished = {github.com/jorgedelpozolerida/ComputerSystemsPerformance, Project2}
}"""
SCHEP = """@misc{schep2025comparison,
  title = {{TensorFlow, Torch and JAX energy consumption comparison for [...] networks on MNIST}},
  author = {Schep and others},
  year = {2025},
  howpublished = {course Sustainable Software Engineering, Delft, project 1, group 2},
  note = {The suite has this title shortened: complete it}
}"""


@dataclass(frozen=True)
class Citation:
    """`words` name the study in a sentence; `key`: that of `bibtex`, both empty where its title is not known here."""

    words: str
    key: str = ""
    bibtex: str = ""


# By the plan that follows the study.
STUDIES: Mapping[str, Citation] = {
    "icse22": Citation("Georgiou et al. 2022", "georgiou2022green", GREEN_AI),
    "sotillos23": Citation("Sotillos et al. 2023", "sotillos2023evaluating", SOTILLOS),
    "schep25": Citation("Schep et al. 2025", "schep2025comparison", SCHEP),
    "ajel23": Citation("Ajel et al. 2023 (the suite knows no more of it: cite it by your own sources)"),
}


def software_version() -> str:
    """Of what runs here; "unknown" where it is not installed."""
    try:
        return version(KEY)
    except PackageNotFoundError:
        return "unknown"


def suite_entry() -> str:
    """Without a year, which nothing here tells."""
    fields = {
        "title": f"{{{TITLE}}}",
        "author": f"{{{AUTHORS}}}",
        "version": software_version(),
        "note": f"Licence: {LICENCE}",
    }
    lines = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items())
    return f"@software{{{KEY},\n{lines}\n}}"
