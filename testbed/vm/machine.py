"""One boot of the machine: qemu without a disk, the host's root read-only over 9p, and a shared folder."""

import ctypes
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from guest_kernel import BUSYBOX, CannotHere, fetched, initramfs

HERE = Path(__file__).resolve().parent
QEMU = "qemu-system-x86_64"
PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None)


def needs() -> None:
    """Raise CannotHere unless a machine can run here."""
    programs = {QEMU: "qemu-system-x86", "rdma": "iproute2", "dpkg": "dpkg", "bash": "bash"}
    for program, package in programs.items():
        if not shutil.which(program):
            raise CannotHere(f"{program} is missing: install Debian's package {package}")
    if not BUSYBOX.exists() or b"/ld-linux" in BUSYBOX.read_bytes():
        raise CannotHere(f"{BUSYBOX} is missing or not static: install Debian's package busybox-static")
    fetched()


@dataclass
class Machine:
    devices: int
    processors: int
    memory: str
    icount: bool
    awake: bool
    writable: list[Path] = field(default_factory=list)
    near: list[Path] = field(default_factory=list)
    console: Path | None = None

    def run(self, words: list[str], limit: float) -> int | None:
        """Return the exit code of the command; None if the limit (seconds) was reached. Pass its output on."""
        until = time.monotonic() + limit
        with tempfile.TemporaryDirectory(prefix="everylink-vm-") as temporary:
            share = Path(temporary)
            self._write_orders(share, words)
            initramfs(fetched(), HERE / "init", share / "initramfs")
            with (share / "out").open("rb") as out, (share / "err").open("rb") as err:
                done = self._boot(share, [(out, sys.stdout.buffer), (err, sys.stderr.buffer)], until)
            code = (share / "code").read_text()
            if code:
                return int(code)
            if not done:
                return None
            said = (share / "console").read_text(errors="replace").strip().splitlines()
            raise OSError("the machine ended before its command did; its last output: " + " / ".join(said[-3:]))

    def _write_orders(self, share: Path, words: list[str]) -> None:
        """Write the command for `inside`, with the caller's environment and folder."""
        lines = [f"export {name}={shlex.quote(value)}" for name, value in os.environ.items() if name.isidentifier()]
        lines += [f"cd {shlex.quote(str(Path.cwd()))}", f"exec {shlex.join(words)}"]
        (share / "command").write_text("\n".join(lines) + "\n")
        (share / "writable").write_text("".join(f"{folder}\n" for folder in self.writable))
        (share / "near").write_text("".join(f"{file}\n" for file in self.near))
        (share / "devices").write_text(f"{self.devices}\n")
        for name in ("inside", "fabric"):
            shutil.copy(HERE / name, share)
        for name in ("out", "err", "code", "console"):
            (share / name).touch()

    def _boot(self, share: Path, streams: list[tuple[BinaryIO, BinaryIO]], until: float) -> bool:
        console = self.console or share / "console"
        machine = subprocess.Popen(
            self._command(share, console), stdin=subprocess.DEVNULL, preexec_fn=_die_with_parent, start_new_session=True
        )
        try:
            while machine.poll() is None and time.monotonic() < until:
                _pass_on(streams)
                time.sleep(0.05)
        finally:
            ended = machine.poll() is not None
            machine.kill()
            machine.wait()
            _pass_on(streams)
        if self.console:
            shutil.copy(console, share / "console")
        return ended

    def _command(self, share: Path, console: Path) -> list[str]:
        kernel = fetched()
        accelerator = ["-accel", "tcg,thread=multi,tb-size=512"]
        idle = " idle=poll" if self.awake else ""
        if self.icount:  # 2 ns per instruction
            accelerator = ["-accel", "tcg,thread=single,tb-size=512", "-icount", "shift=1,sleep=off,align=off"]
        folders = [("root", Path("/"), ",readonly=on,multidevs=remap"), ("share", share, "")]
        folders += [(f"writable{i}", folder, "") for i, folder in enumerate(self.writable)]
        shared = [
            word
            for tag, path, more in folders
            for word in ("-virtfs", f"local,path={_escaped(path)},mount_tag={tag},security_model=none{more}")
        ]
        return [
            *(QEMU, *accelerator, "-cpu", "max", "-machine", "q35"),
            *("-m", self.memory, "-smp", str(self.processors)),
            *("-nodefaults", "-no-user-config", "-no-reboot", "-display", "none", "-monitor", "none"),
            *("-serial", f"file:{_escaped(console)}", "-device", "virtio-rng-pci", *shared),
            *("-kernel", str(kernel / "vmlinuz"), "-initrd", str(share / "initramfs")),
            *("-append", f"console=ttyS0 panic=-1 quiet tsc=reliable nokaslr mitigations=off audit=0{idle}"),
        ]


def _escaped(path: Path) -> str:
    return str(path).replace(",", ",,")


def _die_with_parent() -> None:
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _pass_on(streams: list[tuple[BinaryIO, BinaryIO]]) -> None:
    for source, sink in streams:
        while piece := source.read(1 << 16):
            sink.write(piece)
        sink.flush()
