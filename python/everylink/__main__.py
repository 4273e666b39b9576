"""`python -m everylink` is the command `everylink`."""

import sys

from everylink.cli import main

sys.exit(main())
