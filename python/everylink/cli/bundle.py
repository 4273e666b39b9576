"""`everylink bundle`: packs everything that a results file says of one host into an archive for its vendor."""

import tarfile
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from everylink.cli.answers import files_answer, give
from everylink.cli.kinds import judged, kind_of
from everylink.cli.options.parser import parsed
from everylink.cli.options.table import BUNDLE
from everylink.errors import UserMistake
from everylink.files import atomic_write, refuse_existing
from everylink.inventory.drift import drift_of
from everylink.io.read import read
from everylink.text.bundle import bundle_texts, subject_of
from everylink.units import plural

if TYPE_CHECKING:  # matplotlib takes longer to load than the rest
    from everylink.figure.files import Draw

ENDING = ".tar.gz"


def main(arguments: Sequence[str]) -> int:
    """Write the archive of one host."""
    options = parsed(BUNDLE, arguments)
    if options.output is not None and not options.output.name.endswith((ENDING, ".tgz")):
        raise UserMistake(f"-o {options.output}: the name must end in {ENDING} or .tgz")
    results = read(options.file)
    kind = kind_of(results)
    subject = subject_of(results, options.host)
    output = options.output or Path(f"{subject.name.replace('/', '_')}{ENDING}")
    refuse_existing(output, options.force)
    run = judged(results)
    plots = kind.plots_of_host(subject)
    texts = bundle_texts(run, drift_of(results), subject, kind.tables_of_host(subject), list(plots))
    with TemporaryDirectory(prefix="everylink-") as folder, atomic_write(output, options.force) as new:
        for name, text in texts.items():
            (Path(folder) / name).write_text(text, encoding="utf-8")
        for name, draw in plots.items():
            _draw(draw, Path(folder) / name)
        count = _pack(Path(folder), subject.name, new)
    said = f"{plural(count, 'file')} on {subject.name}"
    notes = [] if len(results.inventory) else [f"{results.path} has no inventory of its hosts"]
    notes += [] if plots else [f"no plot: {results.path} has no times of links"]
    lines = [f"{output}: {said}", *(f"  {note}" for note in notes)]
    give(files_answer([output], lines, said, notes), options)
    return 0


def _draw(draw: "Draw", path: Path) -> None:
    from everylink.figure.files import Part, write_png

    write_png([Part("", [draw])], path)


def _pack(folder: Path, name: str, output: Path) -> int:
    """Pack the files of a folder below `name`; returns how many. Nothing tells who packed them, or when."""

    def nobodys(info: tarfile.TarInfo) -> tarfile.TarInfo:
        info.uid = info.gid = 0
        info.uname = info.gname = ""
        info.mtime, info.mode = 0, 0o644
        return info

    files = sorted(folder.iterdir())
    with tarfile.open(output, "w:gz") as archive:
        for file in files:
            archive.add(file, f"{name}/{file.name}", filter=nobodys)
    return len(files)
