"""`make test` leaves tests marked `long`, and most cases of those marked `one_in`, to `make test-long`."""

import os
from collections import Counter

import pytest

LONG = bool(os.environ.get("EVERYLINK_TEST_LONG"))


@pytest.hookimpl(tryfirst=True)  # before -m chooses
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of each N usual cases of a test, or of a module, marked `one_in(N)`, all but the first become long ones."""
    earlier = Counter[str]()
    for item in items:
        node, of = next(item.iter_markers_with_node("one_in"), (item, None))
        if of and not item.get_closest_marker("long"):
            (cases,) = of.args
            name = node.nodeid.partition("[")[0]
            if earlier[name] % cases:
                item.add_marker(pytest.mark.long("more cases"))
            earlier[name] += 1


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a long test before anything is set up for it."""
    if not LONG and (marker := item.get_closest_marker("long")):
        pytest.skip("make test-long" + "".join(f": {what}" for what in marker.args))
