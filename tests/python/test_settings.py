"""`everylink.toml`: what it sets, which file wins, and what is said of a mistake in it."""

from pathlib import Path

import pytest

from conftest import Command
from everylink.cli import settings
from everylink.cli.settings import settings_now
from everylink.errors import UserMistake
from everylink.launch.job import hosts_of
from everylink.store.keep import Kept
from stores import nights

WHOLE = """
[check]
hosts = "@rack"
launcher = "ssh"
mode = "tcp"
within = "30m"
topology = "topology.conf"
expect = "latency=2us"
[groups]
rack = "n[1-3]!@spare"
spare = "n2"
[store]
folder = "nights"
index = "/var/tmp/index"
links = 30
results = 1
"""


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fake_core: None) -> dict[str, Path]:
    """The folders of the three files."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(settings, "SYSTEM", tmp_path / "etc/everylink.toml")
    for name in ("SLURM_JOB_ID", "SLURM_JOB_NODELIST", "PBS_NODEFILE", "LSB_DJOB_HOSTFILE", "PE_HOSTFILE"):
        monkeypatch.delenv(name, raising=False)
    folders = {"system": tmp_path / "etc", "user": tmp_path / "home/everylink", "project": tmp_path}
    for folder in folders.values():
        folder.mkdir(parents=True, exist_ok=True)
    return folders


def write(folder: Path, text: str) -> None:
    (folder / "everylink.toml").write_text(text)


def test_without_a_file_nothing_is_set() -> None:
    assert settings_now() == settings.Settings()


def test_every_setting_is_read_and_paths_are_relative_to_the_file(places: dict[str, Path]) -> None:
    write(places["system"], WHOLE)
    found = settings_now()
    assert (found.hosts, found.launcher, found.mode, found.within) == ("@rack", "ssh", "tcp", 1800)
    assert (found.topology, found.expect) == (places["system"] / "topology.conf", "latency=2us")
    assert (found.store, found.index) == (places["system"] / "nights", Path("/var/tmp/index"))
    assert found.kept == Kept(links=30, results=1)


def test_later_files_win_setting_by_setting(places: dict[str, Path]) -> None:
    write(places["system"], WHOLE)
    write(places["user"], '[check]\nmode = "ucp"\nwithin = "1m"\n[store]\nlinks = 7\n[groups]\nspare = "n3"')
    write(places["project"], '[check]\nmode = "ofi"')
    found = settings_now()
    assert (found.mode, found.within, found.hosts) == ("ofi", 60, "@rack")
    assert found.kept == Kept(links=7, results=1)
    assert hosts_of("@rack", "HOSTS", found.groups) == ["n1", "n2"]
    assert len(found.files) == 3


def test_the_command_line_wins_over_all_files(places: dict[str, Path], everylink: Command) -> None:
    write(places["project"], WHOLE.replace('topology = "topology.conf"', ""))
    lines = everylink("check", "--dry-run")[1].splitlines()
    assert lines[:3] == [
        "settings: everylink.toml",
        "hosts: n[1,3] (hosts of everylink.toml: 2 hosts), 1 rank per host",
        "mode: tcp; a first run of one step over all ranks decides, and times a step",
    ]
    assert "within 1800 s" in lines[3]
    out = everylink("check", "@spare", "--mode", "ucp", "--within", "9m", "--dry-run")[1]
    assert "hosts: n2 (named hosts: 1 host)" in out
    assert "mode: ucp;" in out
    assert "within 540 s" in out


def test_the_store_of_the_file_is_used(places: dict[str, Path], everylink: Command) -> None:
    nights(places["project"] / "nights", [[], []], hosts=4)
    write(places["project"], '[store]\nfolder = "nights"')
    assert everylink("store", "--quiet")[1] == "nights: 2 runs, 2026-11-01 to 2026-11-02\n"
    assert everylink("history", "--quiet")[1] == "4 hosts steady\n"
    assert "there is no such store" in everylink("store", "--store", "others")[2]


def test_the_index_may_be_elsewhere(places: dict[str, Path], everylink: Command) -> None:
    nights(places["project"] / "nights", [[], []], hosts=4)
    (places["project"] / "nights/index.sqlite").unlink()
    write(places["project"], '[store]\nfolder = "nights"\nindex = "elsewhere"')
    assert everylink("store", "--quiet")[0] == 0
    assert (places["project"] / "elsewhere").is_file()
    assert not (places["project"] / "nights/index.sqlite").exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[check", "is not TOML: Expected ']'"),
        ("[chekc]", "[chekc] is unknown (did you mean check?); use check, groups, store"),
        ("check = 1", "check is not a table; begin it with [check]"),
        ('[check]\nhost = "n1"', "check.host is unknown (did you mean hosts?); use hosts, launcher,"),
        ("[check]\nhosts = 1", 'check.hosts must be a text, as in hosts = "..."'),
        ('[check]\nwithin = "5x"', "check.within: --within 5x: must be a time such as"),
        ('[check]\nexpect = "5x"', "check.expect: --expect 5x: cannot parse '5x'"),
        ('[check]\nlauncher = "rsh"', "check.launcher: --launcher rsh: unknown"),
        ('[groups]\n"a b" = "n1"', "groups.'a b' is not the name of a group"),
        ('[store]\nlinks = "9"', "store.links must be a number of days from 1 to"),
        ("[store]\nresults = true", "store.results must be a number of days"),
        ('[store]\nfolder = ""', 'store.folder must be a text, as in folder = "..."'),
        (
            '[store]\nfolder = "~nobody-of-that-name"',
            "store.folder: '~nobody-of-that-name': the home of this user",
        ),
        ('[store]\nfolder = "a\\u0000b"', "store.folder has a null character, which no path can have"),
    ],
)
def test_a_mistake_in_a_file_is_one_sentence(text: str, said: str, places: dict[str, Path], everylink: Command) -> None:
    write(places["user"], text)
    code, out, err = everylink("check", "--dry-run")
    assert (code, out) == (2, "")
    assert err.startswith(f"everylink: {places['user'] / 'everylink.toml'}: {said}"), err


def test_a_user_without_a_home_has_no_file(everylink: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.setattr("os.getuid", lambda: 1_000_700_000)
    assert settings_now().files == ()


def test_without_a_store_a_command_says_how_to_name_one(everylink: Command) -> None:
    assert everylink("history")[2] == (
        "everylink: --store is missing; name the folder, or set folder in [store] of everylink.toml\n"
    )


def test_a_group_that_names_itself_is_refused() -> None:
    with pytest.raises(UserMistake, match=r"b: @a: .* group"):
        hosts_of("@a", "HOSTS", {"a": "n1,@b", "b": "@a"})
