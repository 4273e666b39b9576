"""Runs one part of what docs/robustness.md shows, or all parts, and prints its table.

make proof PART=NAME [WORDS="..."]     all options of a part: make proof PART=NAME WORDS=--help
"""

import importlib
import sys
from pathlib import Path

sys.path.insert(1, str(Path(__file__).parents[1] / "whole"))  # what starts runs and plants faults
PARTS = sorted(path.stem for path in Path(__file__).parent.glob("*.py") if not path.stem.startswith("_"))


def main(words: list[str]) -> int:
    if words and words[0] not in PARTS:
        print(f"make proof: unknown part '{words[0]}'; use {', '.join(PARTS)}", file=sys.stderr)
        return 2
    codes: list[int] = []
    for part in words[:1] or PARTS:
        print(f"== {part}", flush=True)
        codes.append(importlib.import_module(part).main(words[1:]))
    return max(codes, default=0)


sys.exit(main(sys.argv[1:]))
