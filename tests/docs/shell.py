"""Runs the commands of a page in a copy of the tree, as a reader who has just built it would."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from pages import ROOT, Block, Command

BED = f"docs-{os.getpid()}"  # the name of the beds that pages make
PATIENCE = float(os.environ.get("EVERYLINK_TEST_PATIENCE", "1"))
SAMPLE = ("--hosts", "16", "--group-size", "4", "--sizes", "8,65536,1048576")
SIMULATED = ("--np", "8", "-s", "64KiB", "-n", "20", "--num-slowest", "0")
FILES: dict[str, Sequence[str]] = {  # results that pages name as the reader's own, and how they are made
    "everylink.h5": ("everylink", "simulate", *SAMPLE, "-o", "everylink.h5"),
    "before.h5": ("everylink", "simulate", *SAMPLE, "-o", "before.h5"),
    "after.h5": ("everylink", "simulate", *SAMPLE, "--fault", "slow-host:n5*0.5", "-o", "after.h5"),
    "parallel.h5": ("everylink-measure", *SIMULATED, "--mode", "sim:slow-host=3*0.5", "-o", "parallel.h5"),
    "serial.h5": ("everylink-measure", *SIMULATED, "--mode", "sim", "--serial-tests", "-o", "serial.h5"),
    "pingpong_results_bin.sion": ("cp", str(ROOT / "tests/data/linktest/n4-par.sion"), "pingpong_results_bin.sion"),
}
SCALED = (  # of a block that is `scaled`: a cluster's launchers, ranks and messages, and what one machine has
    (re.compile(r"\bsrun(?: --mpi=\S+?)?(?: -n \d+)?(?=[ '])"), "mpirun -n 4"),
    (re.compile(r"(\bmpirun -n|\bmpiexec -n|--np) \d{2,}"), r"\1 4"),
    (re.compile(r"--num-(warmup-)?messages 1000?\b"), r"--num-\1messages 2"),
    (re.compile(r"\bclient-server\b|(?<=everylink run)(?= --(?:servers|clients) )"), r"\g<0> --niters 4"),
)


def program() -> Path:
    found = os.environ.get("EVERYLINK_MEASURE") or shutil.which("everylink-measure")
    assert found, "set EVERYLINK_MEASURE to the executable (make test does)"
    return Path(found).absolute()


class Tree:
    """A copy of the repository and a PATH on which its commands are those of this build."""

    def __init__(self, folder: Path, made: Path, build: bool = True) -> None:
        self.root = folder / "everylink"
        self.made = made  # where FILES are kept for all pages
        results = ("everylink.h5", "everylink.html")  # of make run, whose check adds a folder
        skipped = shutil.ignore_patterns(
            "build", ".git", ".venv", "__pycache__", ".*_cache", "data", *results, "everylink-*Z*"
        )
        shutil.copytree(ROOT, self.root, ignore=skipped, symlinks=True)
        for name in (".venv", "build") if build else (".venv",):
            (self.root / name).symlink_to((ROOT / name).resolve())
        self.own = {path.name for path in self.root.iterdir()}
        self.commands = folder / "bin"
        self.commands.mkdir()
        self.home = folder / "home"
        self.home.mkdir()
        for path in program().parent.glob("*linktest*"):
            (self.commands / path.name).symlink_to(path)
        self.command("everylink-measure", f'exec {program()} "$@"')
        for name in ("everylink", "pingponganalysis", "linktest-report", "run_netsan.sh"):
            self.command(name, f'exec {ROOT / "scripts" / name} "$@"')
        self.command("sudo", 'exec "$@"')
        shutil.copy(ROOT / "tests/whole/fake_ssh", self.commands / "ssh")

    def command(self, name: str, body: str) -> None:
        path = self.commands / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)

    def environment(self) -> dict[str, str]:
        return os.environ | {
            "PATH": f"{self.commands}:{Path(sys.executable).parent}:{os.environ['PATH']}",
            "HOME": str(self.home),
            "PYTHONPATH": str(ROOT / "python"),
            "EVERYLINK_MEASURE": str(program()),
            "EVERYLINK_BED": BED,
            "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_rmaps_base_oversubscribe": "1",
            "OMPI_MCA_mpi_yield_when_idle": "1",
        }

    def clear(self) -> None:
        """Takes away what the last block has left: each begins with the tree alone."""
        for path in self.root.iterdir():
            if path.name not in self.own:
                shutil.rmtree(path) if path.is_dir() else path.unlink()

    def bash(self, script: str, limit: float) -> subprocess.CompletedProcess[str]:
        process = subprocess.Popen(
            ["bash", "-c", script],
            cwd=self.root,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        try:
            out, _ = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, _ = process.communicate()
            out += f"\n(ended after {limit:g} s)"
        return subprocess.CompletedProcess(script, process.returncode, out)

    def put(self, name: str) -> None:
        """One of FILES, as if the reader had measured it."""
        if not (self.made / name).exists():
            words, env = FILES[name], self.environment()
            done = subprocess.run(words, cwd=self.made, env=env, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stdout + done.stderr
        shutil.copy(self.made / name, self.root)


def scaled(text: str) -> str:
    for pattern, here in SCALED:
        text = pattern.sub(here, text)
    return text


@cache
def is_here(need: str) -> bool:
    """Whether this machine has what a block needs."""
    kind, *names = need.split()
    if kind == "root":
        bed = ROOT / "testbed/netns/bed"
        return (
            os.geteuid() == 0
            and subprocess.run([bed, "--name", BED + "-check", "check"], capture_output=True, check=False).returncode
            == 0
        )
    if kind == "program":
        return shutil.which(names[0]) is not None
    return all(map(resolves, names))


def resolves(host: str) -> bool:
    try:
        socket.getaddrinfo(host, None)
    except OSError:
        return False
    return True


def differences(prints: Sequence[str], out: str) -> str:
    """Where `out` is not what the page shows; `...` stands for anything."""
    pattern = re.escape("\n".join(prints)).replace(re.escape("..."), ".*")
    if re.fullmatch(pattern, "\n".join(line.rstrip() for line in out.rstrip().splitlines()), re.DOTALL):
        return ""
    return "the page shows:\n" + "\n".join(prints) + "\nit prints:\n" + out


def run_block(tree: Tree, block: Block) -> list[str]:
    """What went other than the page says. Ends at the first command that ends otherwise."""
    tree.clear()
    results = tree.root.parent / "results"
    shutil.rmtree(results, ignore_errors=True)
    results.mkdir()
    made = {name for command in block.commands for name in re.findall(r"(?:-o |>)(\S+)", command.text)}
    script = []
    for number, command in enumerate(block.commands):
        for name in FILES:
            if re.search(rf"(?<!-o )\b{re.escape(name)}\b", command.text) and name not in made:
                made.add(name)
                tree.put(name)
        text = scaled(command.text) if block.scaled else command.text
        if number and re.search(r"everylink run|everylink-measure|linktest", text):
            script.append("rm -rf everylink.h5")  # each of these is a run of its own
        script.append(f'{{\n{text}\n}} >"{results}/{number}" 2>&1 </dev/null; code=$?')
        fine = "|".join(map(str, command.codes))
        script.append(f'echo $code >"{results}/{number}.code"; case $code in {fine}) ;; *) exit 1 ;; esac')
    done = tree.bash("\n".join(script), (1800 if block.long else 300) * PATIENCE)
    found = [said(block, command, results / str(number)) for number, command in enumerate(block.commands)]
    wrong = [text for text in found if text]
    if done.returncode and not wrong:
        wrong.append(f"{block.page}:{block.line}: bash ended with {done.returncode}: {done.stdout}")
    return wrong


def said(block: Block, command: Command, result: Path) -> str:
    where = f"{block.page}:{command.line}: {command.text}\n"
    code_file = result.with_suffix(".code")
    if not result.exists():
        return ""  # one before it ended otherwise
    out = result.read_text(errors="replace")
    if not code_file.exists():
        return f"{where}did not end\n{out[-3000:]}"
    code = int(code_file.read_text())
    if code not in command.codes:
        return f"{where}exit code {code}, not {' or '.join(map(str, command.codes))}\n{out[-3000:]}"
    if command.prints and (wrong := differences(command.prints, out)):
        return where + wrong
    return ""
