"""`everylink history`: tells what became of hosts and links over the nights of a store."""

from collections.abc import Sequence
from functools import partial

from everylink.cli.answers import Answer, give
from everylink.cli.options.parser import parsed
from everylink.cli.options.table import HISTORY
from everylink.cli.settings import settings_now
from everylink.errors import UserMistake
from everylink.store.acks import acknowledged_by, acks_in
from everylink.store.index import index_of
from everylink.store.story import history_of
from everylink.store.subject import OfSubject, ends_of, subject_history
from everylink.terminal.history import end_of, history_json, print_history, print_subject, subject_json


def main(arguments: Sequence[str]) -> int:
    """Exit code 0 whatever there is to tell: `check` and `diagnose` judge."""
    options = parsed(HISTORY, arguments)
    store = settings_now().store_to_read(options)
    index = index_of(store)
    if not len(index):
        raise UserMistake(f"{store.path}: has no run yet; everylink check --store {store.path} adds one")
    acks, damaged = acks_in(store)
    found = history_of(index, options.nights, acknowledged_by(acks))
    notes = [*index.notes, *damaged]
    if options.what:
        answer = _of_subject(subject_history(found, ends_of(options.what)), notes)
    else:
        json = partial(history_json, found, notes)
        answer = Answer(partial(print_history, found, notes, options.all), end_of(found), json)
    give(answer, options)
    return 0


def _of_subject(one: OfSubject, notes: Sequence[str]) -> Answer:
    brief = f"{one.subject}: {'; '.join(story.text.partition(': ')[2] for story in one.stories) or 'steady'}"
    return Answer(partial(print_subject, one, notes), brief, partial(subject_json, one, notes))
