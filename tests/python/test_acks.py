"""`everylink ack`: what is known is quiet until its date, and nothing else is (docs/history.md)."""

import json
from pathlib import Path

import pytest

from conftest import Command
from everylink.cli.kinds import judged
from everylink.cli.stored import _without_acknowledged
from everylink.judge.verdict import Conclusion
from everylink.store.acks import Ack, acknowledge, acknowledged_by, acks_in, active, end_early, with_acks
from everylink.store.index import index_of
from everylink.store.story import State, history_of
from everylink.store.summary import seen_in
from everylink.text.check import Checked
from stores import night, nights

SLOW, DARK = "slow-host:n3*0.7", "dark:n1>n2"


def ack(*hosts: str, of_link: bool = False) -> Ack:
    return Ack("1", hosts, of_link, "2026-11-01T00:00:00Z", "2026-12-01T00:00:00Z", "new cable", "ana", "2026-11-01")


def check(faults: list[str], acks: list[Ack], unusable: dict[str, str] | None = None) -> tuple[Checked, list[str]]:
    run = judged(night(1, faults))
    checked = Checked(run, "here", False, unusable or {}, "simulate", "", True, Path("x"))
    return _without_acknowledged(checked, acks)


def test_a_host_that_is_acknowledged_does_not_count_but_is_named() -> None:
    assert check([SLOW], [])[0].conclusion is Conclusion.FAULTS
    checked, said = check([SLOW], [ack("n3", "n4")])
    assert checked.conclusion is not Conclusion.FAULTS
    assert (checked.run.judgement.verdicts, checked.run.judgement.drain) == ((), ())
    assert len(said) == 1
    assert said[0].startswith("acknowledged until 2026-11-30 by ana (new cable): host n3: slow, 1.4")


def test_others_count_as_before() -> None:
    checked, said = check([SLOW, "slow-host:n7*0.7"], [ack("n3")])
    assert [one.subject for one in checked.run.judgement.verdicts] == [("n7",)]
    assert len(said) == 1


@pytest.mark.parametrize("known", [ack("n1"), ack("n1", "n2"), ack("n2", "n1", of_link=True)])
def test_failed_links_of_what_is_acknowledged_are_no_failures(known: Ack) -> None:
    checked, said = check([DARK], [known])
    assert checked.run.judgement.links_failed == 0
    assert checked.conclusion is not Conclusion.FAULTS
    assert len(said) == 1


def test_a_link_covers_its_own_pair_alone() -> None:
    checked, _ = check([DARK, "dark:n1>n5", SLOW], [ack("n1", "n2", of_link=True)])
    assert checked.run.judgement.links_failed == 2
    assert len(checked.run.judgement.verdicts) == 2


def test_an_unreachable_host_that_is_acknowledged_is_no_fault() -> None:
    checked, said = check([], [ack("gone1")], {"gone1": "ssh: timeout"})
    assert checked.conclusion is not Conclusion.FAULTS
    assert said == ["acknowledged until 2026-11-30 by ana (new cable): host gone1: unreachable (ssh: timeout)"]


def test_it_holds_from_its_first_to_its_last_day(tmp_path: Path) -> None:
    store, _ = nights(tmp_path / "s", [])
    one = acknowledge(store, ["n3"], False, "2026-11-10T00:00:00Z", "2026-11-20T00:00:00Z", "why", "ana")
    (there,), notes = acks_in(store)
    assert (there, notes) == (one, [])
    for when, holds in (("2026-11-09T23:59:59Z", 0), ("2026-11-10T00:00:00Z", 1), ("2026-11-20T00:00:00Z", 0)):
        assert len(active([there], when)) == holds
    ended = end_early(store, one)
    assert acks_in(store)[0] == [ended]
    assert active([ended], ended.ended) == []


def test_the_history_tells_apart_what_is_acknowledged(tmp_path: Path) -> None:
    store, _ = nights(tmp_path / "s", [[SLOW, "slow-host:n7*0.7"]] * 2)
    found = history_of(index_of(store), 30, acknowledged_by([ack("n3")]))
    assert [(one.state, one.hosts) for one in found.stories] == [(State.KNOWN, ("n7",)), (State.QUIET, ("n3",))]
    assert found.stories[1].text.endswith("; acknowledged until 2026-11-30 by ana (new cable)")


def test_findings_keep_what_acknowledges_them() -> None:
    run = judged(night(1, [SLOW]))
    (seen,) = with_acks(seen_in(run, {}), [ack("n3")])
    assert (seen.key, seen.ack) == ("host n3", "1")


def test_a_damaged_file_is_named_and_the_rest_is_used(tmp_path: Path) -> None:
    store, _ = nights(tmp_path / "s", [])
    one = acknowledge(store, ["n3"], False, "2026-11-10T00:00:00Z", "2026-11-20T00:00:00Z", "why", "ana")
    damaged = store.path / "acks/x.json"
    for text in ("", "{}", '{"schema": "everylink-ack/2"}', "[]", '{"schema": "everylink-ack/1", "hosts": 1}'):
        damaged.write_text(text)
        assert acks_in(store) == ([one], [f"{damaged}: left out, it is not an acknowledgement"])


def test_the_command_acknowledges_lists_and_ends(tmp_path: Path, everylink: Command) -> None:
    nights(tmp_path / "s", [[]], hosts=4)
    store = ("--store", tmp_path / "s")
    assert everylink("ack", *store) == (0, "nothing is acknowledged\n", "")
    words = ("ack", "n[1-2]", *store, "--until", "2099-12-24", "--reason", "new firmware", "--by", "ana")
    code, out, err = everylink(*words)
    assert (code, err) == (0, "")
    id, _, said = out.partition(": ")
    assert said == "n[1-2]: acknowledged until 2099-12-24 by ana (new firmware)\n"
    assert everylink("ack", "n1>n3", *store, "--until", "14d", "--reason", "cable")[0] == 0
    said = json.loads(everylink("ack", *store, "--format", "json")[1])
    assert {one["subject"] for one in said["acks"]} == {"n[1-2]", "n1 and n3"}
    assert everylink("ack", "--end", id, *store)[1].startswith(f"{id}: n[1-2]: ended on 20")
    assert everylink("ack", *store, "--quiet")[1] == "1 acknowledgement\n"
    assert everylink("ack", *store, "--all", "--quiet")[1] == "2 acknowledgements\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("n1", "--until and --reason are required"),
        ("n1 --until 2020-01-01 --reason x", "--until 2020-01-01: is over already"),
        ("n1 --until soon --reason x", "--until soon: must be a date such as 2026-12-24, or days from now such as 14d"),
        ("n1 --until 14d --reason \t", "--reason: must be one line of 1 to 400 characters"),
        ("n[1 --until 14d --reason x", "HOSTS 'n[1': unbalanced brackets"),
        ("n1>n2>n3 --until 14d --reason x", "n1>n2>n3: must be a host"),
        ("--until 14d", "--until: applies to hosts that are acknowledged"),
        ("--end 77", "--end 77: is not that of an acknowledgement that goes on"),
        ("n1 --end 77", "--end: takes the id of an acknowledgement, and no hosts"),
    ],
)
def test_a_mistake_is_one_sentence(words: str, said: str, tmp_path: Path, everylink: Command) -> None:
    nights(tmp_path / "s", [])
    code, out, err = everylink("ack", *words.split(" "), "--store", tmp_path / "s")
    assert (code, out) == (2, "")
    assert said in err
