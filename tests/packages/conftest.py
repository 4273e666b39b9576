"""Packages and recipes, by the programs of those who take them: long, all of them."""

import os

import pytest

LONG = bool(os.environ.get("EVERYLINK_TEST_LONG"))
PATIENCE = 120 * float(os.environ.get("EVERYLINK_TEST_PATIENCE", "1"))  # seconds


def pytest_runtest_setup(item: pytest.Item) -> None:
    if not LONG and (marker := item.get_closest_marker("long")):
        pytest.skip("make test-long" + "".join(f": {what}" for what in marker.args))
