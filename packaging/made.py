"""What the scripts that make packages share: their options, the epoch, archives whose bytes depend on their content."""

import argparse
import gzip
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable, Sequence
from pathlib import Path

from portable import GLIBC, ROOT, WORK, Failure, Portable, mpi_headers, run, tool

PROCESSORS = ("x86_64", "aarch64")
OF_THE_SYSTEM = ("libuc*.so.0", "libfabric.so.1", "libibverbs.so.1", "libpsm2.so.2", "libpmix.so.2")
# auditwheel knows the platforms of one processor, that of this machine, but looks at wheels of any.
AUDITWHEEL_OF = """
import platform, sys
processor = sys.argv.pop(1)
platform.machine = lambda: processor
from auditwheel.main import main
sys.exit(main())
"""


def version() -> str:
    found = re.search(r'^VERSION = "(.+)"$', (ROOT / "python/everylink/version.py").read_text(), re.MULTILINE)
    if not found:
        raise Failure("python/everylink/version.py has no line VERSION = ...")
    return found[1]


def epoch() -> int:
    """Seconds since 1970 that all files of packages have: SOURCE_DATE_EPOCH, or the time of the commit."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given is None:
        git = ["git", "-C", ROOT, "log", "-1", "--format=%ct"]
        given = subprocess.run(git, capture_output=True, text=True, check=False).stdout.strip()
    if not given.isdecimal():
        raise Failure(f"SOURCE_DATE_EPOCH={given}: use seconds since 1970 (this is not a git repository)")
    return int(given)


def pack(folder: Path, archive: Path) -> None:
    """A .tar.gz of the folder, in the order of names, owned by root, all of one time."""

    def plain(entry: tarfile.TarInfo) -> tarfile.TarInfo:
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = "root"
        entry.mtime = epoch()
        entry.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
        return entry

    archive.parent.mkdir(parents=True, exist_ok=True)
    with (
        archive.open("wb") as file,
        gzip.GzipFile("", "wb", 9, file, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        tar.add(folder, folder.name, recursive=False, filter=plain)
        for path in sorted(folder.rglob("*")):
            tar.add(path, f"{folder.name}/{path.relative_to(folder)}", recursive=False, filter=plain)


def documents(folder: Path) -> None:
    """Licences and what to read first."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("LICENSE", "CHANGELOG.md", "README.md"):
        shutil.copy(ROOT / name, folder)
    shutil.copytree(WORK / "licences", folder / "licences", dirs_exist_ok=True)


# --- the packages ------------------------------------------------------------------------------------------------
def moved(folder: Path, pattern: str, into: Path) -> Path:
    """The one file of `folder` that fits, moved into another folder."""
    (made,) = folder.glob(pattern)
    into.mkdir(parents=True, exist_ok=True)
    return Path(shutil.move(made, into / made.name))


def wheel(processor: str, into: Path) -> Path:
    """py3-none-manylinux: the Python package, the core and its modules."""
    portable = Portable(processor)
    portable.libraries()
    plain, repaired = portable.work / "plain", portable.work / "repaired"
    for folder in (plain, repaired):
        shutil.rmtree(folder, ignore_errors=True)
    settings = {
        "build-dir": str(portable.work / "wheel"),
        "install.strip": "false",  # the linker did, and the strip of this machine knows no other processor
        "cmake.args": "-GNinja",
        "wheel.license-files": "LICENSE;build/portable/licences/*.txt",
        **{f"cmake.define.{name}": value for name, value in portable.settings.items()},
    }
    environment = portable.environment | {
        "SOURCE_DATE_EPOCH": str(epoch()),
        "_PYTHON_HOST_PLATFORM": f"linux-{processor}",
        "PATH": f"{tool('patchelf').parent}:{os.environ['PATH']}",
    }
    options = [f"-C{name}={value}" for name, value in settings.items()]
    words = [tool("python"), "-m", "build", "--no-isolation", "--wheel", "--outdir", plain, *options, ROOT]
    run(words, portable.log, environment=environment)
    # Nothing is left to bundle: auditwheel proves it, and names the wheel after what it requires of the system.
    (built,) = plain.glob("*.whl")
    platform = f"manylinux_{GLIBC.replace('.', '_')}_{processor}"
    outside = [f"--exclude={name}" for name in OF_THE_SYSTEM]
    words = [tool("python"), "-c", AUDITWHEEL_OF, processor, "repair", "--only-plat", "--plat", platform, *outside]
    words += ["-w", repaired, built]
    run(words, portable.log, environment=environment)
    return moved(repaired, "*.whl", into)


def tarball(processor: str, into: Path) -> Path:
    """bin, lib/everylink and share, for nodes without Python; it runs from any folder."""
    portable = Portable(processor)
    portable.libraries()
    name = f"everylink-{version()}-linux-{processor}"
    build, stage = portable.work / "core", portable.work / "stage" / name
    settings = portable.settings | {"CMAKE_INSTALL_LIBDIR": "lib"}
    options = [f"-D{name}={value}" for name, value in settings.items()]
    run(["cmake", "-G", "Ninja", "-S", ROOT, "-B", build, *options], portable.log, environment=portable.environment)
    run(["cmake", "--build", build], portable.log, environment=portable.environment)
    shutil.rmtree(stage, ignore_errors=True)
    run(["cmake", "--install", build, "--prefix", stage], portable.log)
    documents(stage / "share/doc/everylink")
    archive = into / f"{name}.tar.gz"
    pack(stage, archive)
    return archive


def sdist(into: Path) -> Path:
    """The sources, as pip builds them."""
    folder = WORK / "sdist"
    shutil.rmtree(folder, ignore_errors=True)
    words = [tool("python"), "-m", "build", "--no-isolation", "--sdist", "--outdir", folder, ROOT]
    run(words, WORK / "sdist.log", environment={"SOURCE_DATE_EPOCH": str(epoch())})
    return moved(folder, "*.tar.gz", into)


def deb(into: Path) -> Path:
    """The core and its modules for this machine's Debian, built with its compiler and its libraries."""
    build, log = WORK / "deb", WORK / "deb.log"
    flags = f"-g0 -ffile-prefix-map={ROOT}=. -ffile-prefix-map={build}=."
    settings = {
        "CMAKE_BUILD_TYPE": "Release",
        "CMAKE_INSTALL_PREFIX": "/usr",
        "CMAKE_INSTALL_LIBDIR": "lib",
        "CMAKE_SKIP_INSTALL_RPATH": "ON",
        "CMAKE_CXX_FLAGS": flags,
        "EVERYLINK_DEB": "ON",
        "EVERYLINK_UNITY": "ON",
        "EVERYLINK_MPI_HEADERS": mpi_headers(),
    }
    environment = {"SOURCE_DATE_EPOCH": str(epoch())}
    options = [f"-D{name}={value}" for name, value in settings.items()]
    run(["cmake", "-G", "Ninja", "-S", ROOT, "-B", build, *options], log, environment=environment)
    run(["cmake", "--build", build], log, environment=environment)
    shutil.rmtree(WORK / "debs", ignore_errors=True)
    run(["cpack", "-B", WORK / "debs"], log, build, environment)
    return moved(WORK / "debs", "*.deb", into)


def sbom(into: Path) -> Path:
    """What the wheel and the tar file hold, as CycloneDX."""
    file = into / f"everylink-{version()}.cdx.json"
    words = [tool("python"), ROOT / "packaging/sbom.py", version(), str(epoch()), file]
    run(words, WORK / "sbom.log")
    return file


def release(processors: Sequence[str], into: Path) -> list[Path]:
    """All packages, and SHA256SUMS of them."""
    made = [sdist(into), deb(into), sbom(into)]
    for processor in processors:
        made += [wheel(processor, into), tarball(processor, into)]
    made.sort()
    sums = into / "SHA256SUMS"
    sums.write_text("".join(f"{hashlib.sha256(x.read_bytes()).hexdigest()}  {x.name}\n" for x in made))
    return [*made, sums]


# --- the scripts -------------------------------------------------------------------------------------------------
def script(about: str, make: Callable[[Sequence[str], Path], list[Path]], processors: Sequence[str]) -> int:
    """A script that makes packages for processors, by default for `processors`."""
    parser = argparse.ArgumentParser(description=about, allow_abbrev=False)
    parser.add_argument("--target", choices=PROCESSORS, help=f"processor (default: {' and '.join(processors)})")
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "dist", metavar="FOLDER", help="default: dist")
    arguments = parser.parse_args()
    try:
        for made in make([arguments.target] if arguments.target else processors, arguments.output.resolve()):
            print(f"{made} ({made.stat().st_size / 1e6:.1f} MB)")
    except Failure as failure:
        print(f"{Path(sys.argv[0]).name}: {failure}", file=sys.stderr)
        return 1
    return 0


def here() -> str:
    return os.uname().machine
