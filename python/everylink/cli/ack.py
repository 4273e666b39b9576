"""`everylink ack`: keeps what is known quiet until a date, lists what is, and ends it early."""

import getpass
import re
import time
from argparse import Namespace
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from functools import partial

from rich.console import Console

from everylink.cli.answers import Answer, give
from everylink.cli.options.parser import parsed
from everylink.cli.options.table import ACK
from everylink.cli.settings import Settings, settings_now
from everylink.errors import UserMistake
from everylink.files import printable
from everylink.launch.job import hosts_of
from everylink.store.acks import Ack, acknowledge, acks_in, end_early, now
from everylink.store.layout import Store
from everylink.store.subject import ends_of
from everylink.terminal.console import empty_table, print_wide
from everylink.text.json_text import json_text
from everylink.units import plural, utc_text

SCHEMA = "everylink-acks/1"
DAYS = re.compile(r"(\d{1,4})d")
LONGEST = 400  # characters of a reason
COLUMNS = ("id", "what", "from", "until", "by", "reason")


def main(arguments: Sequence[str]) -> int:
    """Acknowledge hosts or a link, end an acknowledgement, or list those that are not over."""
    options = parsed(ACK, arguments)
    settings = settings_now()
    if options.what and options.end is not None:
        raise UserMistake("--end: takes the id of an acknowledgement, and no hosts")
    for name in ("until", "reason", "by", "from"):
        if not options.what and f"--{name}" in options.given:
            raise UserMistake(f"--{name}: applies to hosts that are acknowledged; name them, as in everylink ack n17")
    store = settings.store_to_read(options)
    acks, damaged = acks_in(store)
    if options.what:
        done = [_new(store, options, settings)]
    elif options.end is not None:
        done = [end_early(store, _with_id(acks, options.end))]
    else:
        done = [ack for ack in acks if options.all or ack.end > now()]
    give(_answer(done, damaged, bool(options.what or options.end)), options)
    return 0


def _new(store: Store, options: Namespace, settings: Settings) -> Ack:
    if options.until is None or options.reason is None:
        raise UserMistake(
            "--until and --reason are required: everylink ack n17 --until 14d --reason 'new cable ordered'"
        )
    reason = options.reason.strip()
    if not reason or len(reason) > LONGEST or printable(reason) != reason:
        raise UserMistake(f"--reason: must be one line of 1 to {LONGEST} characters")
    begin = now() if getattr(options, "from") is None else _moment("--from", getattr(options, "from"))
    until = _moment("--until", options.until, ends=True)
    if until <= max(begin, now()):
        raise UserMistake(f"--until {options.until}: is over already, or before it begins; name a later day")
    of_link = any(">" in word for word in options.what)
    hosts = list(ends_of(options.what)) if of_link else hosts_of(",".join(options.what), "HOSTS", settings.groups)
    if of_link and len(hosts) != 2:
        raise UserMistake(f"{' '.join(options.what)}: a link has two ends, as in 'n3>n9'")
    return acknowledge(store, hosts, of_link, begin, until, reason, options.by or _user())


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        raise UserMistake("--by: is required, because this user has no name") from None


def _moment(option: str, text: str, ends: bool = False) -> str:
    """The beginning of a day, or if it `ends` that of the day after it; `14d` is that many days from now."""
    days = DAYS.fullmatch(text)
    if days:
        return utc_text(time.time() + 86400 * int(days[1]))
    try:
        day = date.fromisoformat(text) + timedelta(days=int(ends))
    except (ValueError, OverflowError):
        raise UserMistake(f"{option} {text}: must be a date such as 2026-12-24, or days from now such as 14d") from None
    return utc_text(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp())


def _with_id(acks: Sequence[Ack], id: str) -> Ack:
    fit = [ack for ack in acks if ack.id.startswith(id) and not ack.ended] if id else []
    if len(fit) != 1:
        said = "is that of several acknowledgements" if fit else "is not that of an acknowledgement that goes on"
        raise UserMistake(f"--end {id}: {said}; everylink ack lists them")
    return fit[0]


def _answer(acks: Sequence[Ack], notes: Sequence[str], is_done: bool) -> Answer:
    def text(console: Console) -> None:
        if is_done:
            for ack in acks:
                console.print(f"{ack.id}: {ack.subject}: {_said(ack)}", soft_wrap=True)
        elif acks:
            table = empty_table(console)
            for name in COLUMNS:
                table.add_column(name)
            for ack in acks:
                table.add_row(ack.id, ack.subject, ack.begin[:10], _until(ack), ack.by, ack.reason)
            print_wide(table, console)
        else:
            console.print("nothing is acknowledged")
        for note in notes:
            console.print(note, soft_wrap=True)

    fields = {"schema": SCHEMA, "acks": [vars(ack) | {"subject": ack.subject} for ack in acks], "notes": notes}
    return Answer(text, plural(len(acks), "acknowledgement"), partial(json_text, fields))


def _said(ack: Ack) -> str:
    return f"ended on {ack.ended[:10]}" if ack.ended else ack.text


def _until(ack: Ack) -> str:
    return f"{ack.ended[:10]} (ended)" if ack.ended else ack.last_day
