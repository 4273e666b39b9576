"""What the inventory says of GPUs explains verdicts of runs in their memory, and only of these."""

import json
import re
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import h5py
import pytest

from conftest import Command
from everylink.cli.kinds import judged
from everylink.explain.actions import with_actions
from everylink.explain.because import NONE_SEEN, explained
from everylink.io.read import read
from everylink.judge.verdict import JudgedRun, Scope, Verdict
from everylink.text.host_tables import report_tables
from gpu_runs import NAME, on_gpus, pci_of
from inventories import Machine, add_gpus, cluster, write_inventory
from make_results import Link, steady
from test_because import verdict

HOSTS, EACH, BAD = 8, 4, 3  # hosts, GPUs of each, and the host that is faulty
Plant = Callable[[Machine], object]


def slow(*ranks: int, factor: float = 3) -> Callable[[Link, int], float]:
    return lambda link, size: steady(link, size) * (factor if set(ranks).intersection(link) else 1)


def run(
    path: Path, plant: Plant, time: Callable[[Link, int], float], *, hosts: int = HOSTS, each: int = EACH,
    mode: str = "ucp", paths: Sequence[str] = (), bad: int = BAD, **options: Any,
) -> JudgedRun:  # fmt: skip
    """A run whose ranks each have a GPU. On each host, PCIe switch 0000:9N:00.0 is above GPUs 2N and 2N + 1."""
    machines = cluster(hosts)
    for number, one in enumerate(machines):
        add_gpus(one, number, each)
        for gpu in range(each):
            above = f"0000:9{gpu // 2}:00.0"
            one.facts[f"pci/{pci_of(gpu)}", "parent"] = above
            one.facts[f"pci/{above}", "current_link_width"] = "16"
            one.facts[f"pci/{above}", "max_link_width"] = "16"
    plant(machines[bad])
    named = [f"n{host:02d}" for host in range(hosts) for _ in range(each)]
    on_gpus(
        path, [gpu for _ in range(hosts) for gpu in range(each)], hosts=named, time=time, sizes=(8, 65536),
        attributes={"transport": mode, "memory": "cuda"}, paths=paths, **options,
    )  # fmt: skip
    with h5py.File(path, "r+", libver=("v110", "v110")) as file:
        write_inventory(file, machines)
    return judged(read(path))


def verdict_of(found: JudgedRun) -> Verdict:
    (one,) = found.judgement.verdicts
    return one


def told(part: str, name: str, value: str) -> Plant:
    return lambda one: one.facts.update({(part, name): value})


def nothing(one: Machine) -> None:
    pass


def link_down(one: Machine) -> None:
    one.facts["nvlink/1/5", "state"] = "inactive"
    del one.facts["nvlink/1/5", "speed"]
    del one.facts["nvlink/1/5", "remote_pci"]


LANES = told(f"pci/{pci_of(1)}", "current_link_width", "8")
GPU_1 = BAD * EACH + 1
CAUSES: dict[str, tuple[Plant, str, str]] = {
    "PCIe lanes": (LANES, "ucp", "because: n03: PCIe lanes 8 of pci/0000:a1:00.0; the other 7 have 16"),
    "throttled": (
        told("gpu/1", "throttle_reasons", "hw_thermal_slowdown"), "ucp",
        "because: n03: slowdown by the hardware hw_thermal_slowdown of gpu/1; the other 7 have none",
    ),
    "NVLink": (link_down, "cuda", "because: n03: state inactive of nvlink/1/5; the other 7 have active"),
    "NVLink between hosts": (link_down, "ucp", NONE_SEEN),
    "another GPU": (told(f"pci/{pci_of(2)}", "current_link_width", "8"), "ucp", NONE_SEEN),
    "nothing": (nothing, "ucp", NONE_SEEN),
}  # fmt: skip


@pytest.mark.parametrize(("plant", "mode", "cause"), CAUSES.values(), ids=CAUSES)
@pytest.mark.one_in(3)
def test_a_slow_gpu_has_its_own_cause(plant: Plant, mode: str, cause: str, tmp_path: Path) -> None:
    found = verdict_of(run(tmp_path / "x.h5", plant, slow(GPU_1), mode=mode))
    assert (found.kind, found.subject, found.because) == ("rank", ("n03:gpu1",), cause)
    assert "GPU 1 (clocks, PCIe, NVLinks)" in found.action or found.because.startswith("because")


def test_a_gpu_is_a_cause_of_a_slow_host_only_if_it_holds_messages(tmp_path: Path) -> None:
    slow_host = slow(*range(BAD * EACH, BAD * EACH + EACH))
    (found,) = run(tmp_path / "x.h5", LANES, slow_host).judgement.verdicts
    assert (found.subject, found.because[:28]) == (("n03",), "because: n03: PCIe lanes 8 o")
    with h5py.File(tmp_path / "x.h5", "r+", libver=("v110", "v110")) as file:
        file["ranks/gpu"][...] = -1
    (found,) = judged(read(tmp_path / "x.h5")).judgement.verdicts
    assert (found.subject, found.because) == (("n03",), NONE_SEEN)


@pytest.mark.long
def test_gpus_below_one_pcie_switch_are_one_verdict(tmp_path: Path, everylink: Command) -> None:
    both = slow(BAD * EACH + 2, BAD * EACH + 3)
    found = verdict_of(run(tmp_path / "x.h5", nothing, both))
    assert (found.kind, found.subject, found.scope) == ("rank", ("n03:gpu2", "n03:gpu3"), Scope.EACH)
    assert found.evidence.startswith(
        "of the GPUs of n03 just those below PCIe switch 0000:91:00.0 are slow; of n03:gpu"
    )
    code, said, _ = everylink("diagnose", tmp_path / "x.h5")
    assert code == 3
    assert f"FAULTS: 2 ranks\n  ranks n03:gpu2, n03:gpu3: slow, {found.factor:.2f}x" in said
    assert found.factor == pytest.approx(3, rel=0.01)
    assert "Drain n03; look at the PCIe switch above them" in said
    assert said.count("confidence") == 1
    described = json.loads(everylink("diagnose", tmp_path / "x.h5", "--format", "json")[1])
    assert described["verdicts"][0]["scope"] == "each"
    assert described["drain"] == ["n03"]
    for kind in ("html", "pdf"):
        assert everylink("report", tmp_path / "x.h5", "-o", tmp_path / f"x.{kind}")[0] == 0


@pytest.mark.parametrize("sharing", [1, 2, EACH])
def test_gpus_below_one_switch_that_share_an_adapter_are_one_verdict_on_both(sharing: int, tmp_path: Path) -> None:
    path = tmp_path / "x.h5"
    run(path, nothing, slow(BAD * EACH + 2, BAD * EACH + 3))
    with h5py.File(path, "r+", libver=("v110", "v110")) as file:
        file["ranks/device"][...] = [f"m{rank % EACH // sharing}".encode() for rank in range(HOSTS * EACH)]
    (found,) = judged(read(path)).judgement.verdicts
    assert found.subject == ("n03:gpu2", "n03:gpu3")
    assert found.evidence.startswith(
        "of the GPUs of n03 just those below PCIe switch 0000:91:00.0 are slow; of n03:gpu"
    )
    first = "Drain n03; " + ("compare m1 with the other adapters of its host, and " if sharing == 2 else "")
    assert found.action.startswith(f"{first}look at the PCIe switch above them")


def test_a_narrow_link_of_the_switch_is_the_cause(tmp_path: Path) -> None:
    narrow = told("pci/0000:91:00.0", "current_link_width", "4")
    found = verdict_of(run(tmp_path / "x.h5", narrow, slow(BAD * EACH + 2, BAD * EACH + 3)))
    assert found.because == "because: n03: PCIe lanes 4 of pci/0000:91:00.0; the other 7 have 16"
    assert found.action == "Drain n03; correct what is named as the cause, and measure again."


def test_gpus_of_two_switches_are_two_verdicts(tmp_path: Path) -> None:
    found = run(tmp_path / "x.h5", nothing, slow(BAD * EACH + 1, BAD * EACH + 2)).judgement.verdicts
    assert sorted(one.subject for one in found) == [("n03:gpu1",), ("n03:gpu2",)]


def joined(one: Machine) -> None:
    """GPUs i and j of a host are joined by their NVLinks j and i."""
    for gpu in range(8):
        for link in range(6):
            if link != gpu:
                one.facts[f"nvlink/{gpu}/{link}", "remote_pci"] = pci_of(link)


def test_a_slow_pair_of_gpus_has_the_nvlink_between_them_as_its_cause(tmp_path: Path) -> None:
    def down(one: Machine) -> None:
        joined(one)
        one.facts["nvlink/2/5", "state"] = "inactive"

    def accused(path: Path, plant: Plant, *pair: str) -> Verdict:
        found = run(path, plant, steady, hosts=1, each=8, mode="cuda", bad=0)
        accused = explained(found.results, verdict("pair", *pair))
        return with_actions(found.results, accused).verdicts[0]

    found = accused(tmp_path / "x.h5", down, "n00:gpu2", "n00:gpu5")
    assert found.because == "because: n00: state inactive of nvlink/2/5; its siblings: active"
    assert accused(tmp_path / "y.h5", down, "n00:gpu2", "n00:gpu4").because == ""
    found = accused(tmp_path / "z.h5", joined, "n00:gpu2", "n00:gpu5")
    assert (found.because, found.action) == (
        "", "Look at the way between n00:gpu2 and n00:gpu5 inside n00: nvlink/2/5 and the other ends of these."
    )  # fmt: skip


@pytest.mark.parametrize(
    ("way", "said"),
    [
        ("NV18", "the NVLinks of both GPUs and the switches between them (NV18)"),
        ("SYS", "PCIe between their GPUs (SYS)"),
        ("", "NVLinks, or PCIe, between their GPUs"),
    ],
)
def test_what_lies_between_two_gpus_is_where_to_look(way: str, said: str, tmp_path: Path) -> None:
    plant = told("gpu/2", "to_gpus", f"gpu/1 PIX, gpu/5 {way}") if way else nothing
    found = run(tmp_path / "x.h5", plant, steady, hosts=1, each=8, mode="cuda", bad=0)
    (one,) = with_actions(found.results, verdict("pair", "n00:gpu2", "n00:gpu5")).verdicts
    assert one.action.endswith(f"inside n00: {said}.")


def test_on_one_host_what_the_other_gpus_have_not_is_named(tmp_path: Path) -> None:
    hot = told("gpu/3", "throttle_reasons", "hw_thermal_slowdown, sw_power_cap")
    found = run(tmp_path / "x.h5", hot, slow(3), hosts=1, each=8, mode="cuda", bad=0)
    assert verdict_of(found).subject == ("n00:gpu3",)
    assert "slowdown by the hardware hw_thermal_slowdown of gpu/3" in verdict_of(found).because


def test_a_host_that_stages_messages_where_others_do_not_is_a_fault(tmp_path: Path, everylink: Command) -> None:
    paths = ["staged" if rank // EACH == BAD else "direct" for rank in range(HOSTS * EACH)]
    found = run(tmp_path / "x.h5", nothing, steady, paths=paths).judgement
    (finding,) = found.findings
    text = "n03: messages in memory of gpu/[0-3] are staged through memory of the host; those of 7 hosts go direct"
    assert (finding.text, finding.is_fault, finding.severity) == (text, True, "critical")
    code, said, _ = everylink("diagnose", tmp_path / "x.h5")
    assert code == 3
    assert text in said
    with h5py.File(tmp_path / "x.h5", "r+", libver=("v110", "v110")) as file:
        del file["inventory"]
    assert text in everylink("diagnose", tmp_path / "x.h5")[1]


@pytest.mark.parametrize(("mode", "said"), [("ucp", 1), ("tcp", 0)])
def test_where_all_hosts_stage_it_is_said_if_they_have_adapters(mode: str, said: int, tmp_path: Path) -> None:
    found = run(tmp_path / "x.h5", nothing, steady, mode=mode, paths=["staged"] * (HOSTS * EACH)).judgement
    assert [one.is_fault for one in found.findings] == [False] * said
    assert not found.conclusion.is_alarm


@pytest.mark.parametrize("paths", [["direct"] * (HOSTS * EACH), [""] * (HOSTS * EACH)])
def test_what_goes_direct_or_is_not_known_is_not_said(paths: list[str], tmp_path: Path) -> None:
    assert not run(tmp_path / "x.h5", nothing, steady, paths=paths).judgement.findings


@pytest.mark.long
def test_a_report_has_a_table_of_the_gpus(tmp_path: Path, everylink: Command) -> None:
    found = run(tmp_path / "x.h5", told("gpu/1", "throttle_reasons", "hw_thermal_slowdown"), steady)
    (table,) = [one for one in report_tables(found) if one.title == "GPUs whose memory held the messages"]
    alike = [NAME, "direct", "PIX", "-", "6 of 6", "x16 of x16, 32.0 GT/s", "enabled"]
    assert [list(row) for row in table.rows] == [
        ["n[00-02,04-07]: 0-3; n03: 0,2-3", *alike, "none"], ["n03: 1", *alike, "hw_thermal_slowdown"]
    ]  # fmt: skip
    everylink("report", tmp_path / "x.h5", "-o", tmp_path / "x.html")
    assert "GPUs whose memory held the messages" in (tmp_path / "x.html").read_text()
    everylink("report", tmp_path / "x.h5", "-o", tmp_path / "x.pdf")
    said = subprocess.run(["pdftotext", "-layout", tmp_path / "x.pdf", "-"], capture_output=True, text=True, check=True)
    assert "GPUs whose memory held the messages" in said.stdout
    assert re.search(r"n\d\d:gpu\d -> n\d\d:gpu\d", said.stdout)


def test_the_table_of_gpus_needs_no_inventory(tmp_path: Path) -> None:
    path = on_gpus(tmp_path / "x.h5", (0, 1, 0, 1))
    (table,) = report_tables(judged(read(path)))
    assert [list(row) for row in table.rows] == [["n[0-1]: 0-1", NAME, "direct", "PIX", *"-----"]]
