"""`everylink run --hosts`: the commands built for srun and mpiexec, and what is refused. No real launcher runs."""

import os
import shlex
import subprocess
from pathlib import Path

import pytest

from conftest import CORE_TABLE, Command
from everylink.errors import UserMistake
from everylink.launch.job import Job, Side, UnusableHosts, environment_of, job_of, warn_of_one_machine
from everylink.launch.mpiexec import HERE, Mpiexec, resolved
from everylink.launch.srun import Srun
from everylink.launch.ssh import Ssh
from everylink.version import VERSION

STATES = "n1 idle\nn2 mix\nn3 drain\nn4 down*\nn5 idle*\n"


def program(folder: Path, name: str, says: str) -> None:
    script = folder / name
    script.write_text(f"#!/bin/sh\ncat <<'END'\n{says}\nEND\n")
    script.chmod(0o755)


@pytest.fixture(autouse=True)
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fake core and fake launchers."""
    core = tmp_path / "everylink-measure"
    core.write_text(
        f"#!/bin/sh\ncase $1 in --help=json) cat '{CORE_TABLE}' ;; *) echo everylink-measure {VERSION} ;; esac\n"
    )
    core.chmod(0o755)
    program(tmp_path, "srun", "")
    program(tmp_path, "sinfo", STATES)
    program(tmp_path, "mpiexec", "mpiexec (OpenRTE) 4.1.4")
    monkeypatch.setenv("EVERYLINK_MEASURE", str(tmp_path / "everylink-measure"))
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    for name in ("SLURM_JOB_ID", "SLURM_JOB_NODELIST", "EVERYLINK_KEY", "EVERYLINK_KEY_FILE"):
        monkeypatch.delenv(name, raising=False)


def a_job(*hosts: str, **environment: str) -> Job:
    return job_of([Side(hosts, 2, environment)])


def test_ranks_are_numbered_host_by_host() -> None:
    assert [(one.host, one.first, one.count) for one in a_job("n8", "n9", "n10").hosts] == [
        ("n8", 0, 2),
        ("n9", 2, 2),
        ("n10", 4, 2),
    ]
    assert a_job("n8", "n9").size == 4
    with pytest.raises(UserMistake, match="1 rank in total"):
        job_of([Side(["n8"], 1)])
    with pytest.raises(UserMistake, match="use 2 to 16777216"):
        job_of([Side(["n8", "n9"], 1 << 24)])


def test_variables_are_given_or_inherited() -> None:
    assert environment_of(["A=1=2", "B", "A_2="], {"B": "b", "C": "c"}) == {"A": "1=2", "B": "b", "A_2": ""}
    for setting, said in (
        ("B", "is not set here"),
        ("1=2", "is not a variable name"),
        ("A-B=1", "is not a variable name"),
        ("A=1\n2", "line"),
    ):
        with pytest.raises(UserMistake, match=said):
            environment_of([setting], {})


def test_srun_gets_folded_nodes_and_the_key_only_in_the_environment(tmp_path: Path) -> None:
    job = a_job("n1", "n2", UCX_TLS="tcp")
    command = Srun(Path("/m"), ["--mpi=pmix"]).command_on_hosts(job, ["-s", "1"])
    assert command == [
        str(tmp_path / "srun"), "--nodelist=n[1-2]", "--nodes=2", "--ntasks=4", "--ntasks-per-node=2",
        "--distribution=block", "--mpi=pmix", "/m", "-s", "1",
    ]  # fmt: skip
    environment = Srun(Path("/m")).environment(job, {})
    assert environment["UCX_TLS"] == "tcp"
    assert len(environment["EVERYLINK_KEY"]) == 64
    assert environment["EVERYLINK_KEY"] not in " ".join(command)
    assert Srun(Path("/m")).environment(job, {"EVERYLINK_KEY_FILE": "mine"}) == {"UCX_TLS": "tcp"}


def test_all_nodes_unknown_to_slurm_or_unusable_are_named() -> None:
    Srun(Path("/m")).check(a_job("n1", "n2"))
    with pytest.raises(UserMistake) as caught:
        Srun(Path("/m")).check(a_job("n1", "n3", "n4", "n5", "n77", "n78"))
    assert str(caught.value) == (
        "--hosts: nothing was started; n3: Slurm reports state drain; n4: Slurm reports state down*; "
        "n5: Slurm reports state idle*; n[77-78]: unknown to Slurm"
    )


def test_inside_an_allocation_only_its_nodes_are_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLURM_JOB_NODELIST", "n[3-4,08]")
    Srun(Path("/m")).check(a_job("n3", "n08"))
    with pytest.raises(UserMistake, match=r"n\[1-2\]: not in this allocation \(n\[3-4,08\]\)"):
        Srun(Path("/m")).check(a_job("n1", "n2", "n3"))


def test_open_mpi_gets_one_host_per_rank_and_only_the_names_of_variables(tmp_path: Path) -> None:
    command = Mpiexec(Path("/m"), ["--bind-to", "core"]).command_on_hosts(
        a_job("n8", "n9", TOKEN="secret"), ["-s", "1"]
    )
    place = ["-n", "4", "--host", "n8,n8,n9,n9", "--map-by", "seq", "-x", "TOKEN"]
    assert command == [str(tmp_path / "mpiexec"), *place, "--bind-to", "core", "/m", "-s", "1"]


def test_hydra_gets_hosts_and_ranks_per_host(tmp_path: Path) -> None:
    program(tmp_path, "mpiexec", "HYDRA build details: Version 4.0.2")
    command = Mpiexec(Path("/m")).command_on_hosts(a_job("n8", "n9", TOKEN="secret"), ["-s", "1"])
    assert command == [str(tmp_path / "mpiexec"), "-n", "4", "-hosts", "n8,n9", "-ppn", "2", "/m", "-s", "1"]
    with pytest.raises(UserMistake, match="do not fit into a command line"):
        Mpiexec(Path("/m")).command_on_hosts(job_of([Side([f"n{i}" for i in range(20000)], 1)]), [])


def test_a_host_without_an_address_is_named_before_mpiexec_is_started() -> None:
    assert resolved(["localhost", "127.0.0.1", "127.0.0.9"]).addresses == dict.fromkeys(
        ("localhost", "127.0.0.1", "127.0.0.9"), HERE
    )
    with pytest.raises(UserMistake, match=r"nothing was started; no-such-[ab]"):
        Mpiexec(Path("/m")).check(a_job("localhost", "no-such-a.invalid", "no-such-b.invalid"))


def test_two_names_with_one_address_are_warned_of_before_mpiexec_is_started(capfd: pytest.CaptureFixture[str]) -> None:
    Mpiexec(Path("/m")).check(a_job("localhost", "127.0.0.9"))
    assert capfd.readouterr() == ("", "everylink: localhost and 127.0.0.9 are the same machine\n")
    warn_of_one_machine({"a1": "x", "a2": "x", "a3": "x", "b": "y", "c": "", "d": ""})
    assert capfd.readouterr() == ("", "everylink: a[1-3] are the same machine\n")


def two_sides() -> Job:
    servers = Side(["s1", "s2"], 2, {"ALL": "0", "A": "1 $x"}, ["--servers", "4"], ["-bind-to", "core"])
    clients = Side(["c1", "c2"], 1, {"ALL": "0", "B": "2"}, ["--servers", "4", "--rails", "eth1"])
    return job_of([servers, clients])


def test_open_mpi_gets_separate_parts_for_servers_and_clients(tmp_path: Path) -> None:
    assert shlex.join(Mpiexec(Path("/m"), ["-q"]).command_on_hosts(two_sides(), ["-s", "1"])) == (
        f"{tmp_path}/mpiexec "
        "-n 4 --host s1,s1,s2,s2 --map-by seq -x ALL -x 'A=1 $x' -q -bind-to core /m -s 1 --servers 4 : "
        "-n 2 --host c1,c2 --map-by seq -x ALL -x B=2 /m -s 1 --servers 4 --rails eth1"
    )
    assert two_sides().environment == {"ALL": "0"}


def test_hydra_gets_separate_parts_and_one_list_of_hosts(tmp_path: Path) -> None:
    program(tmp_path, "mpiexec", "HYDRA build details: Version 4.0.2")
    assert shlex.join(Mpiexec(Path("/m"), ["-q"]).command_on_hosts(two_sides(), ["-s", "1"])) == (
        f"{tmp_path}/mpiexec "
        "-n 4 -hosts s1:2,s2:2,c1:1,c2:1 -env A '1 $x' -q -bind-to core /m -s 1 --servers 4 : "
        "-n 2 -env B 2 /m -s 1 --servers 4 --rails eth1"
    )


def test_equal_sides_share_one_part_of_mpiexecs_command_line(tmp_path: Path) -> None:
    job = job_of([Side(["s"], 1), Side(["c1", "c2"], 1)])
    assert shlex.join(Mpiexec(Path("/m")).command_on_hosts(job, [])) == (
        f"{tmp_path}/mpiexec -n 3 --host s,c1,c2 --map-by seq /m"
    )


def test_a_host_on_which_srun_starts_no_task_is_unusable(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    failure = "srun: error: Task launch for StepId=2.0 failed on node n2: Communication connection failure"
    (tmp_path / "srun").write_text(f"#!/bin/sh\necho '{failure}' >&2\nexit 137\n")
    start = Srun(tmp_path / "everylink-measure").start_job(a_job("n1", "n2"))
    with pytest.raises(UnusableHosts) as refused:
        start([], lambda line: None, None)
    assert refused.value.reasons == {"n2": "srun: Communication connection failure"}
    assert capfd.readouterr().err == failure + "\n", "what srun says is passed on"
    (tmp_path / "srun").write_text("#!/bin/sh\necho srun: error: n1: task 0: Killed >&2\nexit 137\n")
    assert start([], lambda line: None, None) == 137, "tasks that ended are no reason to leave a host out"


def test_srun_keeps_servers_first_and_gives_each_task_the_settings_of_its_side(tmp_path: Path) -> None:
    command = Srun(Path("/usr/bin/printf"), ["--mpi=none"]).command_on_hosts(two_sides(), ["%s,"])
    place = ["--nodelist=s1,s1,s2,s2,c1,c2", "--nodes=4", "--ntasks=6", "--distribution=arbitrary", "--mpi=none"]
    assert command[:6] == [str(tmp_path / "srun"), *place]
    assert "1 $x" not in " ".join(command), "values of variables are only in the environment"
    environment = Srun(Path("/m")).environment(two_sides(), {})
    assert environment["ALL"] == "0"
    assert not {"A", "B"} & environment.keys()

    def task(rank: int, *core: str) -> str:
        words = [*command[6:10], *core] if core else command[6:]  # /bin/sh -c SCRIPT sh
        ours = environment | {"SLURM_PROCID": str(rank), "SLURM_STEP_NODELIST": "c[1-2],s[1-2]"}
        return subprocess.run(words, env=ours, capture_output=True, text=True, check=True).stdout

    assert [task(rank) for rank in range(6)] == ["--servers,4,"] * 4 + ["--servers,4,--rails,eth1,"] * 2
    shows = ["/bin/sh", "-c", 'echo "${A-} ${B-} $ALL $SLURM_STEP_NODELIST"']
    assert [task(rank, *shows) for rank in (0, 3, 4)] == ["1 $x  0 s1\n", "1 $x  0 s1\n", " 2 0 s1\n"]


def test_srun_places_a_single_side_in_slurms_order_of_nodes(tmp_path: Path) -> None:
    job = job_of([Side(["c1", "c2"], 3)])
    assert shlex.join(Srun(Path("/m")).command_on_hosts(job, ["all-to-all"])) == (
        f"{tmp_path}/srun '--nodelist=c[1-2]' --nodes=2 --ntasks=6 --ntasks-per-node=3 --distribution=block "
        "/m all-to-all"
    )


def test_hosts_with_the_same_reason_are_folded() -> None:
    reasons = {f"n{i}": f"ssh: connect to host n{i} port 22: Connection timed out" for i in (1, 2, 3)}
    assert str(UnusableHosts(reasons | {"m": "no answer"}, a_job("m"))).endswith(
        "n[1-3]: ssh: connect to host port 22: Connection timed out; m: no answer"
    )


def test_ssh_never_prompts_and_keeps_its_command_line_free_of_secrets() -> None:
    command = list(Ssh(Path("/m"), ["-p", "2222"]).shell_command()("n8"))
    assert command[1:4] == ["-T", "-p", "2222"], "the user's options come first, so they take precedence"
    assert "BatchMode=yes" in command
    assert any(word.startswith("ConnectTimeout=") for word in command)
    assert command[-2:] == ["n8", "exec /bin/sh -c 'IFS= read -r line && eval \"$line\"'"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--hosts", "n[1-2]", "--np", "4"], "--np and --hosts exclude each other"),
        (["--hosts", "n[1-2]", "--launcher", "command"], "leave --hosts out"),
        (["--hosts", "n[1-2]", "--nranks", "0"], "--nranks 0: must be from 1 to 16777216"),
        (["--hosts", "n[1-2]", "--launcher", "local", "--launcher-args", "-x"], "--launcher local takes no arguments"),
        (["--hosts", "n[1-"], "unbalanced brackets"),
        (["--hosts", "n1", "--launcher", "local"], "1 rank in total"),
        (["--nranks", "2"], "--nranks applies only to --hosts"),
        (["--env", "A=1"], "--env applies only to --hosts"),
        (["--launcher", "ssh"], "--launcher ssh requires hosts"),
        (["--launcher", "srun"], "--launcher srun requires hosts"),
        (["--hosts", "n[3-4]", "--launcher", "srun"], "n3: Slurm reports state drain"),
    ],
)
def test_invalid_combinations_are_refused_before_anything_starts(
    words: list[str], said: str, everylink: Command
) -> None:
    code, out, err = everylink("run", *words)
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1


def test_inside_a_slurm_job_hosts_are_reached_by_srun(everylink: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLURM_JOB_ID", "7")
    monkeypatch.setenv("SLURM_JOB_NODELIST", "n3")
    assert "not in this allocation" in everylink("run", "--hosts", "n[1-2]")[2]


def test_inside_a_batch_job_all_its_hosts_are_measured_unless_np_says_otherwise(
    tmp_path: Path, everylink: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLURM_JOB_ID", "7")
    monkeypatch.setenv("SLURM_JOB_NODELIST", "n[1-2]")
    (tmp_path / "srun").write_text(f'#!/bin/sh\necho "$*" >{tmp_path}/started\nexit 1\n')
    assert "Slurm job 7: 2 hosts, 3 ranks on each" in everylink("run", "--nranks", "3", "--no-output")[2]
    assert "--nodelist=n[1-2] --nodes=2 --ntasks=6" in (tmp_path / "started").read_text()
    (tmp_path / "started").unlink()
    assert "Slurm job" not in everylink("run", "--np", "2", "--no-output")[2]
    assert "Slurm job" not in everylink("run", "--list")[2], "it measures nothing"
    monkeypatch.setenv("SLURM_JOB_NODELIST", "n1")
    assert "Slurm job" not in everylink("run", "--no-output")[2]
    assert not (tmp_path / "started").exists()
