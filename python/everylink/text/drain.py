"""The hosts to take out of service, as commands of Slurm that a person may run. Everylink runs none of them."""

import shlex
from collections.abc import Mapping

from everylink.judge.named import verdicts_by_host
from everylink.judge.verdict import Judgement, Verdict
from everylink.model.results import Results
from everylink.text.verdicts import title

LONGEST_REASON = 160  # characters


def scontrol_text(results: Results, judgement: Judgement, unreachable: Mapping[str, str] | None = None) -> str:
    """A line with `scontrol update` for each host to drain; `unreachable`: by host why a check could not use it."""
    naming = verdicts_by_host(results.ranks, judgement.verdicts)
    reasons = {host: f"unreachable ({why})" for host, why in (unreachable or {}).items()}
    reasons |= {host: _worst(host, naming.get(host, [])) for host in judgement.drain}
    run = results.facts.created or results.path
    return "\n".join(_line(host, f"everylink: {said} (run {run})") for host, said in reasons.items())


def _line(host: str, reason: str) -> str:
    """Slurm shows the reason beside the node: the tool is named first, as is usual."""
    short = reason if len(reason) <= LONGEST_REASON else f"{reason[: LONGEST_REASON - 3]}..."
    return shlex.join(["scontrol", "update", f"NodeName={host}", "State=DRAIN", f"Reason={short}"])


def _worst(host: str, verdicts: list[Verdict]) -> str:
    return title(verdicts[0]).removeprefix(f"host {host}: ") if verdicts else "see the verdicts"
