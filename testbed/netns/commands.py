"""The command line of the bed."""

import argparse
import os
import secrets
import signal
import subprocess
import sys
import threading
from pathlib import Path
from types import FrameType
from typing import IO

import kernel
from faults import FAULTS
from hosts import Bed, address, exec_on_host
from kernel import BASE, BedError, CannotHere, locked
from wiring import set_faults

SKIP = 77
PORT = 7700


def parser() -> argparse.ArgumentParser:
    faults = "\n".join(f"  {name + ' ' + f.usage:34}  {f.meaning}" for name, f in FAULTS.items())
    top = argparse.ArgumentParser(
        prog="bed",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=f"faults (HOST: h3 or 3):\n{faults}\n\nThe exit code is 77 if a bed cannot be made here.",
    )
    top.add_argument("--name", default=os.environ.get("EVERYLINK_BED", "everylink"), help="name of the bed (everylink)")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    up = commands.add_parser("up", help="create hosts h0, h1, ... with addresses 10.77.0.1, 10.77.0.2, ...")
    up.add_argument("hosts", type=int)
    up.add_argument("--rails", type=int, default=1, help="interfaces per host: eth1 has 10.78.0.1, 10.78.0.2, ...")
    up.add_argument("--leaves", type=int, default=1, choices=[1, 2], help="bridges, connected by one cable (1)")
    up.add_argument("--mtu", type=int, default=1500)
    up.add_argument("--no-offload", action="store_true", help="limit packets to the MTU, as on a cable")
    up.add_argument("--congestion", default="", metavar="NAME", help="TCP congestion control (the kernel's default)")
    up.add_argument(
        "--families", default="4", choices=["4", "6", "46"], help="addresses of hosts: IPv4, IPv6 (fd77::1, ...) (4)"
    )
    up.add_argument(
        "--loopback", default="46", choices=["4", "6", "46"], help="addresses of lo: 127.0.0.1, ::1 or both (46)"
    )
    commands.add_parser("down", help="end all processes in the hosts and remove the bed")
    commands.add_parser("list", help="list the beds with their hosts and faults")
    commands.add_parser("check", help="test whether this machine can have a bed: create one, plant faults, remove it")
    execute = commands.add_parser("exec", help="replace this process by a command on a host")
    execute.add_argument("words", nargs=argparse.REMAINDER, metavar="HOST COMMAND...")
    every = commands.add_parser("run", help="run one command on every host; the host's name precedes each line")
    every.add_argument("words", nargs=argparse.REMAINDER, metavar="COMMAND...")
    measure = commands.add_parser(
        "measure", help="run everylink-measure on all hosts, without a launcher", allow_abbrev=False
    )
    measure.add_argument("-r", "--ranks-per-host", type=int, default=1)
    measure.add_argument("words", nargs=argparse.REMAINDER, metavar="OPTION...", help="of everylink-measure")
    fault = commands.add_parser("fault", help="plant a fault")
    fault.add_argument("words", nargs="+", metavar="NAME ARGUMENT...")
    heal = commands.add_parser("heal", help="remove all faults, or those that begin with these words")
    heal.add_argument("words", nargs="*", metavar="NAME ARGUMENT...")
    return top


def main(words: list[str]) -> int:
    top = parser()
    options, unknown = top.parse_known_args(words)
    if options.command == "measure":
        options.words = unknown + options.words  # REMAINDER begins at the first word that is not an option
    elif unknown:
        top.error(f"unrecognized arguments: {' '.join(unknown)}")
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        return int(COMMANDS[options.command](options) or 0)
    except CannotHere as error:
        print(f"bed: {error}", file=sys.stderr)
        return SKIP
    except BedError as error:
        print(f"bed: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def up(options: argparse.Namespace) -> None:
    kernel.need({})
    with locked():
        bed = Bed(options.name)
        offload = not options.no_offload
        bed.up(
            options.hosts, options.mtu, options.rails, offload, options.congestion, options.leaves, options.families,
            options.loopback,
        )  # fmt: skip


def down(options: argparse.Namespace) -> None:
    kernel.need({})
    with locked():
        Bed(options.name).down()


def listing(_options: argparse.Namespace) -> None:
    for folder in sorted(BASE.glob("[a-z0-9]*")):
        try:
            bed = Bed(folder.name).load()
        except BedError:
            print(f"{folder.name}: unfinished; bed --name {folder.name} down removes it")
            continue
        print(f"{bed.name}: {bed.size} hosts, h0 ({address(0)}) to h{bed.size - 1} ({address(bed.size - 1)})")
        for words in bed.state["faults"]:
            print(f"  {' '.join(words)}")


def check(_options: argparse.Namespace) -> None:
    kernel.need({})
    bed = Bed(f"check-{os.getpid()}")
    with locked():
        bed.up(2, 1500)
        try:
            faults = [["shape", "1gbit"], ["drop", "h0", "1"], ["slow-pair", "h0>h1", "1mbit"], ["delay", "h1", "10"]]
            set_faults(bed, faults)
        except BedError as error:
            raise CannotHere(f"faults cannot be planted here: {error}") from None
        finally:
            bed.down()


def execute(options: argparse.Namespace) -> int:
    os.environ["EVERYLINK_BED"] = options.name
    return exec_on_host(options.words)


def fault(options: argparse.Namespace) -> None:
    kernel.need({})
    with locked():
        bed = Bed(options.name).load()
        set_faults(bed, [*bed.state["faults"], options.words])


def heal(options: argparse.Namespace) -> None:
    kernel.need({})
    with locked():
        bed = Bed(options.name).load()
        planted = bed.state["faults"]
        kept = [one for one in planted if one[: len(options.words)] != options.words]
        if options.words and len(kept) == len(planted):
            raise BedError(f"there is no fault '{' '.join(options.words)}'; bed list shows the planted ones")
        set_faults(bed, kept)


def start(bed: Bed, host: int, words: list[str], environment: dict[str, str]) -> subprocess.Popen[str]:
    def enter() -> None:
        kernel.die_with_parent()
        bed.enter(host)

    try:
        return subprocess.Popen(
            words,
            env=os.environ | {"EVERYLINK_BED": bed.name} | environment,
            preexec_fn=enter,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise BedError(f"{words[0]} on h{host}: {error}") from None


def echo(stream: IO[str], prefix: str) -> None:
    for line in stream:
        print(f"{prefix}{line}", end="", flush=True)


def run(options: argparse.Namespace) -> int:
    kernel.need({})
    if not options.words:
        raise BedError("run requires a command")
    bed = Bed(options.name).load()
    return follow([(start(bed, host, options.words, {}), f"h{host}: ") for host in range(bed.size)])


def measure(options: argparse.Namespace) -> int:
    kernel.need({})
    bed = Bed(options.name).load()
    if not 1 <= options.ranks_per_host <= 1000:
        raise BedError("-r must be 1 to 1000 ranks per host")
    size = bed.size * options.ranks_per_host
    words = options.words[1:] if options.words[:1] == ["--"] else options.words
    program = os.environ.get("EVERYLINK_MEASURE", "everylink-measure")
    if words and Path(words[0]).name == "everylink-measure":  # everylink run --launcher command gives its path
        program, *words = words
    meeting = address(0) if bed.state["families"] == "4" else "h0"
    common = {"EVERYLINK_SIZE": str(size), "EVERYLINK_RENDEZVOUS": f"{meeting}:{PORT}"}
    common["EVERYLINK_KEY"] = os.environ.get("EVERYLINK_KEY") or secrets.token_hex(32)
    ranks = []
    for rank in range(size):
        host = rank // options.ranks_per_host
        ranks.append((start(bed, host, [program, *words], common | {"EVERYLINK_RANK": str(rank)}), ""))
    return follow(ranks)


def follow(processes: list[tuple[subprocess.Popen[str], str]]) -> int:
    """Wait until all processes have ended; return the highest exit code."""
    echoes = []
    for process, prefix in processes:
        assert process.stdout
        echoes.append(threading.Thread(target=echo, args=(process.stdout, prefix), daemon=True))
        echoes[-1].start()
    codes = [process.wait() for process, _ in processes]
    for echo_thread in echoes:
        echo_thread.join(1)
    return max(128 - code if code < 0 else code for code in codes)


COMMANDS = {
    "up": up,
    "down": down,
    "list": listing,
    "check": check,
    "exec": execute,
    "run": run,
    "measure": measure,
    "fault": fault,
    "heal": heal,
}
