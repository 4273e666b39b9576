"""Debian's kernel for the machine, fetched once with the modules to load, and an initramfs of them."""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

MODULES = (  # in this order, dependencies first; includes those that the kernel would request from modprobe
    *("virtio_pci", "9pnet_virtio", "9p", "overlay", "virtio-rng"),
    *("crc32_generic", "rdma_rxe", "ib_umad", "veth", "bridge", "sch_netem", "sch_tbf"),
)
BUSYBOX = Path("/bin/busybox")


class CannotHere(Exception):
    """The reason, one sentence, why there can be no machine here; exit code 77."""


def fetched() -> Path:
    """The folder with `vmlinuz`, the modules, and `order`, which lists them in loading order."""
    package = package_name()
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "everylink" / "vm"
    folder = cache / package
    if not (folder / "order").exists():
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as temporary:
            made = fetch(package, Path(temporary))
            shutil.rmtree(folder, ignore_errors=True)
            made.rename(folder)
    return folder


def package_name() -> str:
    """The package of the current kernel; not the cloud kernel, which lacks rdma_rxe."""
    try:
        said = subprocess.run(["apt-cache", "depends", "linux-image-amd64"], capture_output=True, text=True, timeout=60)
    except FileNotFoundError:
        raise CannotHere("apt-cache is missing: the machine's kernel comes from Debian's packages") from None
    found = re.search(r"Depends: (linux-image-\S+)", said.stdout)
    if not found:
        raise CannotHere("apt does not know linux-image-amd64; run apt-get update, on Debian for amd64")
    return found[1]


def fetch(package: str, work: Path) -> Path:
    got = subprocess.run(
        ["apt-get", "download", "-q", "-o", "APT::Sandbox::User=root", package],
        cwd=work,
        capture_output=True,
        text=True,
        timeout=300,
    )
    files = list(work.glob("*.deb"))
    if got.returncode or not files:
        raise CannotHere(f"apt-get download {package}: {(got.stderr.strip() or 'no file').splitlines()[-1]}")
    everything = work / "all"
    subprocess.run(["dpkg", "-x", str(files[0]), str(everything)], check=True, timeout=300)
    (version,) = (everything / "lib/modules").iterdir()
    subprocess.run([BUSYBOX, "depmod", "-b", str(everything), version.name], check=True, timeout=300)
    made = work / "made"
    made.mkdir()
    shutil.copy(everything / f"boot/vmlinuz-{version.name}", made / "vmlinuz")
    order = list(dict.fromkeys(with_needs((version / "modules.dep").read_text())))
    for module in order:
        shutil.copy(version / module, made)
    (made / "order").write_text("".join(f"{Path(module).name}\n" for module in order))
    return made


def with_needs(modules_dep: str) -> Iterator[str]:
    needs = {line.split(":")[0]: line.split(":")[1].split() for line in modules_dep.splitlines()}
    paths = {Path(path).name.removesuffix(".ko"): path for path in needs}

    def before(path: str) -> Iterator[str]:
        for need in needs[path]:
            yield from before(need)
        yield path

    for module in MODULES:
        if module not in paths:
            raise CannotHere(f"Debian's kernel package has no module {module}")
        yield from before(paths[module])


def initramfs(kernel: Path, init: Path, into: Path) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary)
        for folder in ("bin", "proc", "sys", "dev", "host", "fresh", "root", "modules"):
            (root / folder).mkdir()
        shutil.copy(BUSYBOX, root / "bin/busybox")
        shutil.copy(init, root / "init")
        for file in kernel.glob("*.ko"):
            shutil.copy(file, root / "modules")
        shutil.copy(kernel / "order", root / "modules")
        names = "\n".join(str(path.relative_to(root)) for path in sorted(root.rglob("*")))
        packed = subprocess.run(
            [str(BUSYBOX), "cpio", "-o", "-H", "newc"], cwd=root, input=names.encode(), capture_output=True, check=True
        )
    into.write_bytes(packed.stdout)
