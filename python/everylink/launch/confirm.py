"""`run --confirm`: re-measures suspects, into the same results file, until none is left."""

import math
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from everylink.exit_codes import MEASURED
from everylink.io.plan_file import plan_text
from everylink.io.read import read
from everylink.io.topology import Topology, grouping_of
from everylink.judge.confirm import ROUNDS, plan_to_confirm

Start = Callable[[Sequence[str]], int]  # further options of the core -> its exit code


def confirm(output: Path, start: Start, until: float = math.inf, topology: Topology | None = None) -> int | None:
    """Start the core with --confirm while there are suspects. Returns its last exit code, None without suspects.

    No round starts after `until`, a time of time.monotonic. `topology`: the groups to judge by, where the user gave a
    file.

    The plan is beside the results file, because only rank 0's machine is sure to see that folder.
    """
    code = None
    for _ in range(ROUNDS):
        if time.monotonic() >= until:
            break
        results = read(output)
        plan = plan_to_confirm(results, grouping_of(results, topology))
        if not len(plan):
            break
        with tempfile.NamedTemporaryFile(
            "w", prefix=output.name + ".plan-", dir=output.absolute().parent, suffix=".txt"
        ) as file:
            file.write(plan_text(plan))
            file.flush()
            code = start(["--confirm", file.name])
        if code not in MEASURED:
            break
    return code
