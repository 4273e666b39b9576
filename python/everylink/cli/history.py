"""`everylink history`: tells what became of hosts and links over the nights of a store."""

from argparse import Namespace
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from everylink.cli.answers import Answer, files_answer, give
from everylink.cli.options.parser import parsed
from everylink.cli.options.table import HISTORY
from everylink.cli.settings import settings_now
from everylink.errors import UserMistake
from everylink.files import atomic_write, refuse_existing
from everylink.store.acks import acknowledged_by, acks_in
from everylink.store.index import index_of
from everylink.store.story import History, history_of
from everylink.store.subject import OfSubject, ends_of, subject_history
from everylink.terminal.history import end_of, history_json, print_history, print_subject, subject_json


def main(arguments: Sequence[str]) -> int:
    """Exit code 0 whatever there is to tell: `check` and `diagnose` judge."""
    options = parsed(HISTORY, arguments)
    _check_output(options)
    store = settings_now().store_to_read(options)
    index = index_of(store)
    if not len(index):
        raise UserMistake(f"{store.path}: has no run yet; everylink check --store {store.path} adds one")
    acks, damaged = acks_in(store)
    found = history_of(index, options.nights, acknowledged_by(acks))
    notes = [*index.notes, *damaged]
    one = subject_history(found, ends_of(options.what)) if options.what else None
    if options.output is not None:
        answer = _page(found, one, notes, options)
    elif one is not None:
        answer = _of_subject(one, notes)
    else:
        json = partial(history_json, found, notes)
        answer = Answer(partial(print_history, found, notes, options.all), end_of(found), json)
    give(answer, options)
    return 0


def _check_output(options: Namespace) -> None:
    path: Path | None = options.output
    if path is None:
        if options.force:
            raise UserMistake("--force applies only to -o")
        return
    if path.suffix != ".html":
        raise UserMistake(f"-o {path}: the name must end in .html")
    refuse_existing(path, options.force)


def _page(found: History, one: OfSubject | None, notes: Sequence[str], options: Namespace) -> Answer:
    from everylink.page.history import write_history, write_subject

    path: Path = options.output
    with atomic_write(path, options.force) as new:
        if one is None:
            write_history(found, notes, new)
        else:
            write_subject(one, notes, new)
    said = end_of(found) if one is None else one.subject
    return files_answer([path], [f"{path}: {said}"], said, notes)


def _of_subject(one: OfSubject, notes: Sequence[str]) -> Answer:
    brief = f"{one.subject}: {'; '.join(story.text.partition(': ')[2] for story in one.stories) or 'steady'}"
    return Answer(partial(print_subject, one, notes), brief, partial(subject_json, one, notes))
