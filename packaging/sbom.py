"""Writes what a release consists of, as CycloneDX: what is linked into the core, and what the Python package requires.

sbom.py VERSION EPOCH FILE      runs with the packages of requirements.txt
"""

import re
import sys
import tomllib
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from cyclonedx.factory.license import LicenseFactory
from cyclonedx.model import HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL
from portable import COMPILER, LIBRARIES, ROOT, Failure, downloads

LICENCES = LicenseFactory()


def linked() -> Iterator[Component]:
    """The libraries within the core: of which version, from which source package of Debian."""
    for source in downloads("dsc"):
        yield Component(
            name=source.name, version=source.version, bom_ref=source.name, type=ComponentType.LIBRARY,
            licenses=[LICENCES.make_from_string(LIBRARIES[source.name][1])],
            hashes=[HashType.from_composite_str(f"sha256:{source.checksum}")],
            purl=PackageURL("deb", "debian", source.name, source.version, {"arch": "source"}),
        )  # fmt: skip
    pins = (ROOT / "packaging/requirements.txt").read_text()
    version = re.search(r"^ziglang==(.*)$", pins, re.MULTILINE)
    if not version:
        raise Failure("requirements.txt does not fix the version of ziglang")
    for name, (_, licence) in COMPILER.items():  # zig's own C++ library, its start-up files and helpers
        yield Component(
            name=name, version=version[1], bom_ref=name, type=ComponentType.LIBRARY,
            licenses=[LICENCES.make_from_string(licence)], purl=PackageURL("pypi", None, "ziglang", version[1]),
        )  # fmt: skip


def required() -> Iterator[Component]:
    """The packages that pip installs beside the wheel: any version that satisfies pyproject.toml."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for requirement in project["dependencies"]:
        name = re.split(r"[<>=!~ \[;]", requirement)[0]
        yield Component(
            name=name, type=ComponentType.LIBRARY, scope=ComponentScope.REQUIRED, description=requirement,
            bom_ref=f"pypi-{name}", purl=PackageURL("pypi", None, name.lower()),
        )  # fmt: skip


def main() -> int:
    version, epoch, file = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
    everylink = Component(
        name="everylink", version=version, bom_ref="everylink", type=ComponentType.APPLICATION,
        licenses=[LICENCES.make_from_string("BSD-3-Clause")],
    )  # fmt: skip
    bom = Bom(serial_number=uuid.uuid5(uuid.NAMESPACE_URL, f"everylink-{version}-{epoch}"))
    bom.metadata.timestamp = datetime.fromtimestamp(epoch, UTC)
    bom.metadata.component = everylink
    parts = [*linked(), *required()]
    bom.components.update(parts)
    bom.register_dependency(everylink, parts)
    text = JsonV1Dot6(bom).output_as_string(indent=2) + "\n"
    if wrong := JsonStrictValidator(SchemaVersion.V1_6).validate_str(text):
        raise Failure(f"the SBOM is not CycloneDX 1.6: {wrong}")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
