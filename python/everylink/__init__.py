"""Everylink judges and shows what `everylink-measure` measured: every point-to-point connection of a cluster.

docs/python.md describes the names below. Each is imported on first use, so `import everylink` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from everylink.version import VERSION as __version__

if TYPE_CHECKING:
    from everylink.errors import EverylinkError, ResultsError
    from everylink.io.read import read
    from everylink.model.inventory import Inventory
    from everylink.model.links import Links
    from everylink.model.loads import Flows, Load, Scenes
    from everylink.model.results import Facts, Ranks, Results, Size, Steps
    from everylink.model.rows import Outcome, Rows

_MODULES = {
    "EverylinkError": "errors",
    "Facts": "model.results",
    "Flows": "model.loads",
    "Inventory": "model.inventory",
    "Links": "model.links",
    "Load": "model.loads",
    "Outcome": "model.rows",
    "Ranks": "model.results",
    "Results": "model.results",
    "ResultsError": "errors",
    "Rows": "model.rows",
    "Scenes": "model.loads",
    "Size": "model.results",
    "Steps": "model.results",
    "read": "io.read",
}
__all__ = [
    "EverylinkError",
    "Facts",
    "Flows",
    "Inventory",
    "Links",
    "Load",
    "Outcome",
    "Ranks",
    "Results",
    "ResultsError",
    "Rows",
    "Scenes",
    "Size",
    "Steps",
    "__version__",
    "read",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'everylink' has no attribute '{name}'")
    return getattr(import_module(f"everylink.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
