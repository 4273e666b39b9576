"""`everylink bundle`: packs everything that a results file says of one host into an archive for its vendor."""

import tarfile
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from everylink.cli.answers import files_answer, give
from everylink.cli.kinds import LINKS, judged
from everylink.cli.options.parser import parsed
from everylink.cli.options.table import BUNDLE
from everylink.errors import UserMistake
from everylink.files import atomic_write, refuse_existing
from everylink.inventory.drift import drift_of
from everylink.text.bundle import Subject, bundle_texts, subject_of
from everylink.units import plural

ENDING = ".tar.gz"


def main(arguments: Sequence[str]) -> int:
    """Write the archive of one host."""
    options = parsed(BUNDLE, arguments)
    if options.output is not None and not options.output.name.endswith((ENDING, ".tgz")):
        raise UserMistake(f"-o {options.output}: the name must end in {ENDING} or .tgz")
    results = LINKS.read(options.file)
    subject = subject_of(results, options.host)
    output = options.output or Path(f"{subject.name.replace('/', '_')}{ENDING}")
    refuse_existing(output, options.force)
    run = judged(results)
    texts = bundle_texts(run, drift_of(results), subject)
    with TemporaryDirectory(prefix="everylink-") as folder, atomic_write(output, options.force) as new:
        for name, text in texts.items():
            (Path(folder) / name).write_text(text, encoding="utf-8")
        if results.sizes:
            _draw(subject, Path(folder) / "links.png")
        count = _pack(Path(folder), subject.name, new)
    said = f"{plural(count, 'file')} on {subject.name}"
    notes = [] if len(results.inventory) else [f"{results.path} has no inventory of its hosts"]
    lines = [f"{output}: {said}", *(f"  {note}" for note in notes)]
    give(files_answer([output], lines, said, notes), options)
    return 0


def _draw(subject: Subject, path: Path) -> None:
    from everylink.figure.files import write_png
    from everylink.figure.host import host_page

    write_png([lambda: host_page(subject.results, subject.index, subject.names)], path)


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
