"""Packages and recipes, by the programs of those who take them."""

import os

PATIENCE = 120 * float(os.environ.get("EVERYLINK_TEST_PATIENCE", "1"))  # seconds
