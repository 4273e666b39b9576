"""Everylink under ReFrame 4: measures every link of the nodes that it gets, and fails where something is faulty.

Latency and bandwidth are performance variables. See README.md beside this file.
"""

import json
from pathlib import Path

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import (
    performance_function,
    run_after,
    run_before,
    sanity_function,
    variable,
)
from reframe.core.exceptions import ReframeError

UNITS = {"latency": "s", "bandwidth": "B/s", "failed_links": "links"}


@rfm.simple_test
class EverylinkCheck(rfm.RunOnlyRegressionTest):
    """Variables, for `-S`: `nodes` and `ranks_per_node` (with the launcher `local`, all ranks are on this machine),
    `mode`, `sizes`, `options` of everylink-measure, and `references`, a JSON file."""

    descr = "every link between the nodes of a job"
    valid_systems = ["*"]  # noqa: RUF012  (as ReFrame has it)
    valid_prog_environs = ["*"]  # noqa: RUF012
    time_limit = "15m"

    nodes = variable(int, value=2)
    ranks_per_node = variable(int, value=1)
    mode = variable(str, value="tcp")
    sizes = variable(str, value="8,64KiB,1MiB")
    options = variable(str, value="")
    references = variable(str, value="")

    executable = "everylink-measure"

    @run_after("setup")
    def choose_ranks(self):
        self.num_tasks = self.nodes * self.ranks_per_node
        self.num_tasks_per_node = self.ranks_per_node
        self.executable_opts = ["-m", self.mode, "-s", self.sizes, "-o", "everylink.h5", *self.options.split()]
        if self.job.launcher.registered_name == "local":
            self.executable_opts += ["--np", str(self.num_tasks)]
            self.num_tasks = 1

    @run_before("run")
    def give_a_key_and_judge(self):
        """Ranks on several hosts share a secret, which is a file in the stage directory while they run."""
        self.prerun_cmds = [
            "(umask 077; od -A n -t x1 -N 32 /dev/urandom | tr -d ' \\n' > key)",
            "export EVERYLINK_KEY_FILE=$PWD/key",
        ]
        self.postrun_cmds = [
            "rm -f key",
            "everylink diagnose everylink.h5 --format json > verdict.json || true",
            "everylink show everylink.h5 --format json > summary.json",
        ]

    @run_before("performance")
    def set_references(self):
        """Per system or system:partition, per variable: value, lower and upper bound as ReFrame's references."""
        if not self.references:
            return
        try:
            given = json.loads(Path(self.references).read_text())
            self.reference = {
                place: {name: (*bounds, UNITS[name]) for name, bounds in values.items()}
                for place, values in given.items()
            }
        except (OSError, ValueError, AttributeError, TypeError) as error:
            raise ReframeError(f"references {self.references}: {error}") from None
        except KeyError as name:
            known = ", ".join(UNITS)
            raise ReframeError(f"references {self.references}: unknown variable {name}; use {known}") from None

    @sanity_function
    def nothing_is_faulty(self):
        stage = Path(self.stagedir)
        try:
            said = json.loads((stage / "verdict.json").read_text())
        except (OSError, ValueError):
            lines = (stage / str(self.stderr)).read_text().splitlines()
            said = [line for line in lines if line.startswith("everylink-measure: ")] or ["see the stage directory"]
            return sn.assert_true(False, msg=f"nothing was measured: {said[0]}")
        subjects = [f"{one['kind']} {', '.join(one['subject'])}: {one['symptom']}" for one in said["verdicts"]]
        named = "; ".join(subjects) or f"{said['links_failed']} links failed"
        return sn.assert_ne(said["conclusion"], "faults", msg=f"faults: {named}")

    @performance_function("s")
    def latency(self):
        """Median one-way time of the smallest messages, between hosts if there are several."""
        return self._median(0)

    @performance_function("B/s")
    def bandwidth(self):
        """Of the largest messages, by their median one-way time."""
        size = self._sizes()[-1]
        return size["bytes"] / self._median(-1)

    @performance_function("links")
    def failed_links(self):
        return sum(size["failed"] for size in self._sizes())

    def _sizes(self):
        return json.loads((Path(self.stagedir) / "summary.json").read_text())["sizes"]

    def _median(self, index):
        return self._sizes()[index]["classes"][0]["seconds"]["median"]
