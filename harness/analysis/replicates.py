"""What a ratio is told over: the blocks of one session; of a merged campaign its nodes, or one machine's sessions.

Runs of one session, and of one node, have in common what it does to each treatment, so that blocks are no independent
samples of nodes. Each node is one value: the mean of its sessions, each of which is the mean of its blocks. Student's
t over them asks nothing of how nodes, sessions and blocks vary, nor that all have as many blocks: normal values of
whatever different variances keep its level at 5 % from two on.

Source: Ibragimov and Mueller 2010, J. Bus. Econ. Stat. 28:453 (after Bakirov and Szekely 2006, J. Math. Sci. 139:6497).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from harness.analysis.verdict import Floats
from harness.energy.series import Ints
from harness.records import SourceRecord

NODE, SESSION = "node", "session"  # columns of runs
BLOCKS, SESSIONS, NODES = "blocks", "sessions", "nodes"
SINGLE = {BLOCKS: "block", SESSIONS: SESSION, NODES: NODE}


def columns(sources: Sequence[SourceRecord]) -> list[str]:
    """Those of runs that say where each ran: none of what one session measured."""
    several = {SESSION: {one.session for one in sources}, NODE: {one.node for one in sources}}
    return [name for name, values in several.items() if len(values) > 1]


def place(source: int, sources: Sequence[SourceRecord]) -> dict[str, int]:
    """Of a run of the `source`-th of these; of none where there is none."""
    return {NODE: sources[source - 1].node, SESSION: sources[source - 1].session} if source else {}


@dataclass(frozen=True)
class Replicates:
    """Of blocks: the node or session that each is a part of, and its session; arrays of one length.

    `kind`: NODES or SESSIONS.
    """

    kind: str
    of: Ints
    sessions: Ints

    @classmethod
    def among(cls, runs: pd.DataFrame, first: Ints) -> Replicates | None:
        """Of blocks, by the place of a run of each in `runs`; None where the blocks themselves are what is counted."""
        if SESSION not in runs:
            return None
        kind, name = (NODES, NODE) if NODE in runs else (SESSIONS, SESSION)
        of, sessions = (runs[each].to_numpy(dtype=np.int64)[first] for each in (name, SESSION))
        return cls(kind, of, sessions)

    def take(self, places: Ints) -> Replicates:
        return Replicates(self.kind, self.of[places], self.sessions[places])

    @property
    def numbers(self) -> Ints:
        """Those that there are, rising."""
        return np.unique(self.of)

    def means(self, values: Floats) -> Floats:
        """Of each node or session, in the order of `numbers`: every session of a node has the same weight."""
        codes, weights = self._weights
        return np.asarray(np.bincount(codes, weights * values))

    def in_quadrature(self, errors: Floats) -> Floats:
        """What independent errors of the values leave in those means."""
        codes, weights = self._weights
        return np.asarray(np.sqrt(np.bincount(codes, np.square(weights * errors))))

    @property
    def _weights(self) -> tuple[Ints, Floats]:
        _, codes = np.unique(self.of, return_inverse=True)
        _, first, session, blocks = np.unique(
            self.sessions, return_index=True, return_inverse=True, return_counts=True
        )
        number = np.bincount(codes[first])  # of sessions in each
        return codes, 1.0 / (number[codes] * blocks[session])
