"""`python -m everylink` is the command `everylink`."""

import sys

if not sys.flags.safe_path:
    del sys.path[0]  # the current folder, which may hold a numpy.py of its own

from everylink.cli import main

sys.exit(main())
