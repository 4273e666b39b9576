#!/usr/bin/env python3
"""A fake everylink-measure: prints the core's events and writes a results file.

FAKE selects its behaviour, by words: `exit=N`, `version=X`, `noise`, `unknown`, `sleep`, `stray`, `kill`, `no-output`,
`results=FILE` (a copy of this file becomes the results file), `prints` (it prints something and measures nothing).
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from everylink.version import VERSION

FAKE = dict(word.partition("=")[::2] for word in os.environ.get("FAKE", "").split())


def say(**event: object) -> None:
    print(json.dumps(event), flush=True)


def interrupted(number: int, frame: object) -> None:
    for other in (signal.SIGINT, signal.SIGTERM):
        signal.signal(other, signal.SIG_IGN)
    say(event="text", text=f"ended by {signal.Signals(number).name}")
    sys.exit(3)


def main() -> int:
    if "--version" in sys.argv:
        print(f"everylink-measure {FAKE.get('version', VERSION)}")
        return 0
    if "--help=json" in sys.argv:
        print(Path(__file__).with_name("core_table.json").read_text())
        return 0
    if "prints" in FAKE:
        print("a list")
        return 0
    from make_results import make_results

    output = None if "no-output" in FAKE else sys.argv[sys.argv.index("-o") + 1] if "-o" in sys.argv else "everylink.h5"
    say(event="plan", ranks=4, hosts=2, steps=3, links=12, sizes=[65536], output=output)
    say(event="text", text=f"arguments: {' '.join(sys.argv[1:])}")
    if "noise" in FAKE:
        print("[n0] a library says [bold]hello[/]", flush=True)
    if "unknown" in FAKE:
        say(event="weather", sun=True)
        print('"event"', flush=True)
    for step in (1, 2, 3):  # steps done so far
        say(event="text", linktest=True, text=f"Parallel Results for step {step}: min: 1 us")
        say(event="step", iteration=0, step=step, steps=3, links_done=4 * step, links_failed=0, seconds=1.0)
    if "sleep" in FAKE:
        signal.signal(signal.SIGINT, interrupted)
        signal.signal(signal.SIGTERM, interrupted)
        say(event="text", text="sleeping")
        time.sleep(3600)
    if "stray" in FAKE:
        subprocess.Popen(["sleep", "20"])
    if "kill" in FAKE:
        os.kill(os.getpid(), signal.SIGKILL)
    print("a message of the core", file=sys.stderr, flush=True)
    if output:
        if "results" in FAKE:
            shutil.copy(FAKE["results"], output)
        else:
            make_results(Path(output))
    say(event="retest", done=1, of=10)
    say(event="text", linktest=True, text="RESULT: Min Time: 1 us")
    code = int(FAKE.get("exit", "0"))
    say(event="end", exit=code, links_ok=12, links_failed=0, output=output)
    return code


if __name__ == "__main__":
    sys.exit(main())
