"""Equal work, proven when a workload's turn comes: what time is too short for is not proven, and has no verdict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from harness.campaign.planned import PlannedCampaign
from harness.conformance import asked, certificate
from harness.conformance.kept_proofs import Proof
from harness.conformance.proving import prove
from harness.conformance.recording import OutOfTime, ProofFailed


@dataclass
class DueProofs:
    """Of a campaign under way, whose holder nobody else measures beside."""

    campaign: PlannedCampaign
    say: Callable[[str], None]
    failed: bool = (
        False  # whether any implementation does other work, or could not be proven for its own fault
    )
    _lacking: dict[str, str] = field(default_factory=dict)  # workload -> why, once it was tried

    def why_not(self, workload: str, end_s: float | None) -> str:
        """Why its implementations are not proven to do the same work; empty where they are, by `end_s` at the latest.

        Tried once: what was broken off would not come further in the time that is left then.
        """
        if workload not in self._lacking:
            self._lacking[workload] = self._prove(workload, end_s)
        return self._lacking[workload]

    def _prove(self, workload: str, end_s: float | None) -> str:
        isolations = {one.isolation for one in self.campaign.environments.values()}
        treatments = self.campaign.plan.treatments
        wanted = {
            place: own
            for place, several in certificate.missing(treatments, certificate.load(isolations)).items()
            if (own := [one for one in several if one.workload == workload])
        }
        if not wanted:
            return ""
        try:
            found = prove(
                wanted, list(asked.all_of(treatments)), self.campaign.environments, self.say, end_s=end_s
            )
        except OutOfTime:
            return f"{workload}: there was no time to prove that its implementations do the same work"
        except ProofFailed as error:
            self.failed = True
            return f"{workload}: equal work could not be proven: {error}"
        certificate.save(found)
        certificate.keep(self.campaign.folder, treatments, isolations)
        return self._differing(workload, found)

    def _differing(self, workload: str, found: list[Proof]) -> str:
        names = dict.fromkeys(f"{one.framework} {one.version}" for one in found if not one.passed)
        self.failed |= bool(names)
        return (
            f"{workload}: these do not do the same work: {', '.join(names)} (suite verify)" if names else ""
        )
