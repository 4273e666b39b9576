"""Recipes by the programs that take them: EasyBuild, rattler-build, Spack, buildah."""

import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from commands import done

from conftest import PATIENCE
from everylink.version import VERSION

ROOT = Path(__file__).parents[2]
PACKAGING = ROOT / "packaging"
EASYBUILD = shutil.which("eb", path=str(Path(sys.executable).parent))
LMOD = Path("/usr/share/lmod/lmod/libexec/lmod")
SPACK = os.environ.get("EVERYLINK_SPACK")  # a clone of spack/spack
DEBIAN = "http://deb.debian.org/debian"
DEBIANS = {  # what Debian 12 has, for Spack
    name: {"externals": [{"spec": f"{name}@{version}", "prefix": "/usr"}], "buildable": False}
    for name, version in {
        "cmake": "3.25.1",
        "cli11": "2.1.2",
        "fmt": "9.1.0",
        "hdf5": "1.10.8~mpi",
        "hwloc": "2.9.0",
        "libfabric": "1.17.0",
        "libsodium": "1.0.18",
        "openmpi": "4.1.4",
        "pkgconf": "1.8.1",
        "pmix": "4.2.2",
        "rdma-core": "44",
        "ucx": "1.13.1",
    }.items()
}
pytestmark = pytest.mark.long("EasyBuild, rattler-build, Spack, buildah")


@pytest.mark.skipif(not (EASYBUILD and LMOD.exists()), reason="needs EasyBuild and Lmod")
@pytest.mark.parametrize("toolchain", ["gompi-2025b", "foss-2025b"])
def test_easybuild_finds_every_dependency_and_no_fault_of_style(toolchain: str, tmp_path: Path) -> None:
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "EASYBUILD", "BASH_FUNC"))
    } | {
        "LMOD_CMD": str(LMOD),
        "EASYBUILD_MODULES_TOOL": "Lmod",
        "EASYBUILD_PREFIX": str(tmp_path / "prefix"),
        "EB_PYTHON": sys.executable,
        "COLUMNS": "1000",
        "BASH_FUNC_module%%": '() { eval "$($LMOD_CMD bash "$@")"\n}',
    }

    def eb(*words: str) -> str:
        file = PACKAGING / f"easybuild/Everylink-{VERSION}-{toolchain}.eb"
        command = [EASYBUILD, "--allow-use-as-root-and-accept-consequences", *words, file]
        return done(*command, env=environment, cwd=tmp_path)

    assert "All style checks PASSed" in eb("--check-style")
    assert "No conflicts detected" in eb("--check-conflicts")
    assert f"(module: Everylink/{VERSION}-{toolchain})" in eb("--dry-run", "--robot")


def test_conda_makes_a_package_for_each_mpi() -> None:
    rattler = pytest.importorskip("rattler_build")
    recipe = rattler.Stage0Recipe.from_file(str(PACKAGING / "conda/recipe.yaml"))
    pinned = {"c_stdlib": ["sysroot"], "c_stdlib_version": ["2.28"], "python": ["3.13.* *_cp313"]}  # by conda-forge
    ours = rattler.VariantConfig.from_file(str(PACKAGING / "conda/variants.yaml")).to_dict()
    made = [one.recipe for one in recipe.render(rattler.VariantConfig(pinned | ours))]
    assert {(one.package.name, str(one.package.version)) for one in made} == {("everylink", VERSION)}
    for recipe, mpi in zip(made, ["mpich", "openmpi"], strict=True):
        assert mpi in [str(requirement) for requirement in recipe.requirements.host]


@pytest.mark.skipif(not SPACK, reason="EVERYLINK_SPACK names no clone of spack/spack")
def test_spack_finds_every_dependency_of_the_core(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPACK_USER_CONFIG_PATH", str(tmp_path / "config"))
    monkeypatch.setenv("SPACK_USER_CACHE_PATH", str(tmp_path / "cache"))
    monkeypatch.setenv("SPACK_PYTHON", sys.executable)  # has clingo
    spack = f"{SPACK}/bin/spack"
    shutil.copytree(PACKAGING / "spack", tmp_path / "repo")
    recipe = tmp_path / "repo/packages/everylink/package.py"
    if done(spack, "--version").startswith("0."):  # languages are no dependencies there
        recipe.write_text(re.sub(r'    depends_on\("(c|cxx)", type="build"\)\n', "", recipe.read_text()))
    (tmp_path / "config").mkdir()
    (tmp_path / "config/packages.yaml").write_text(yaml.safe_dump({"packages": DEBIANS}))
    done(spack, "repo", "add", tmp_path / "repo")
    done(spack, "compiler", "find")
    chosen = done(spack, "spec", "everylink~python", limit=20 * PATIENCE)
    assert f"everylink@{VERSION}" in chosen
    for name in DEBIANS:
        assert re.search(rf"\[e\].*\^{name}@", chosen), chosen


@pytest.fixture
def debian(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[str]:
    """An image of Debian 12 that is made here, without a registry."""
    if os.geteuid() != 0 or not (shutil.which("buildah") and shutil.which("mmdebstrap")):
        pytest.skip("needs root, buildah and mmdebstrap")
    monkeypatch.setenv("STORAGE_DRIVER", "vfs")
    monkeypatch.setenv("BUILDAH_ISOLATION", "chroot")
    monkeypatch.setenv("CONTAINERS_STORAGE_CONF", str(tmp_path / "storage.conf"))
    storage = f'[storage]\ndriver = "vfs"\ngraphroot = "{tmp_path}/images"\nrunroot = "{tmp_path}/run"\n'
    (tmp_path / "storage.conf").write_text(storage)
    root = tmp_path / "root.tar"
    done("mmdebstrap", "--variant=minbase", "--include=ca-certificates", "bookworm", root, DEBIAN, limit=10 * PATIENCE)
    made = done("buildah", "from", "scratch").strip()
    done("buildah", "add", made, root, "/")
    done("buildah", "commit", made, "localhost/debian")
    yield "localhost/debian"
    done("buildah", "rmi", "--all", "--force")


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    folder = tmp_path / "sources"
    folder.mkdir()
    done("sh", "-c", f"git -C {ROOT} archive HEAD | tar x -C {folder}")
    return folder


@pytest.fixture
def network(tmp_path: Path) -> list[str]:
    """What a build here needs to reach PyPI: this machine's certificates."""
    settings = tmp_path / "pip.conf"
    settings.write_text("[global]\ncert = /etc/ssl/certs/ca-certificates.crt\n")
    return [f"--volume={settings}:/etc/pip.conf:ro", "--volume=/etc/ssl/certs:/etc/ssl/certs:ro"]


def test_a_container_is_built_and_measures(debian: str, sources: Path, network: list[str]) -> None:
    file = PACKAGING / "container/Containerfile"
    command = [
        "buildah",
        "build",
        "--pull=never",
        f"--build-arg=BASE={debian}",
        *network,
        "-f",
        file,
        "-t",
        "everylink",
    ]
    done(*command, sources, limit=60 * PATIENCE)
    made = done("buildah", "from", "--pull=never", "localhost/everylink").strip()
    said = done("buildah", "run", made, "--", "sh", "-c", "id -u; everylink --version; everylink-measure --list")
    assert said.startswith(f"65532\neverylink {VERSION}\n")
    for mode in ("tcp", "mpi", "ucp", "ofi", "ibverbs"):
        mentions = re.findall(rf"^ *{mode} .*$", said, re.MULTILINE)  # modes come first
        assert "not built" not in mentions[0], said
    done("buildah", "run", made, "--", "sh", "-c", "everylink run --np 4 -s 8 -n 3 -o /tmp/x.h5 || [ $? -ge 3 ]")


def test_the_steps_of_the_apptainer_definition_build_what_its_test_runs(
    debian: str, sources: Path, network: list[str]
) -> None:
    """Apptainer itself is not needed: its sections are carried out one after the other, in a container."""
    parts = re.split(r"^%(\w+)\n", (PACKAGING / "apptainer/everylink.def").read_text(), flags=re.MULTILINE)
    sections = dict(zip(parts[1::2], parts[2::2], strict=True))
    made = done("buildah", "from", "--pull=never", debian).strip()
    for line in sections["files"].split("\n"):
        if line.strip():
            name, folder = line.split()
            done("buildah", "copy", made, sources / name, f"{folder}{name}")
    done("buildah", "run", *network, made, "--", "sh", "-c", sections["post"], limit=60 * PATIENCE)
    said = done("buildah", "run", made, "--", "sh", "-c", sections["test"])
    assert "RESULT: Avg Time" in said
    assert "g++" not in done("buildah", "run", made, "--", "ls", "/usr/bin")
    environment = sections["environment"] + 'exec "$0" "$@"'
    assert VERSION in done("buildah", "run", made, "--", "sh", "-c", environment, "everylink", "--version")
