"""Results of runs in memory of GPUs."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from make_results import make_results

NAME = "NVIDIA H100 80GB HBM3"


def pci_of(gpu: int) -> str:
    """The PCI address of a GPU as inventories.add_gpus gives it."""
    return f"0000:{0xA0 + gpu:02x}:00.0"


def on_gpus(path: Path, gpus: Sequence[int], *, paths: Sequence[str] = (), **options: Any) -> Path:
    """A results file whose ranks have their messages in memory of these GPUs (-1: none)."""
    make_results(path, attributes={"memory": "cuda", "transport": "cuda"} | options.pop("attributes", {}), **options)
    texts = {
        "gpu_name": [NAME if gpu >= 0 else "" for gpu in gpus],
        "gpu_pci": [pci_of(gpu) if gpu >= 0 else "" for gpu in gpus],
        "gpu_uuid": [f"GPU-{gpu}" if gpu >= 0 else "" for gpu in gpus],
        "gpu_to_device": ["PIX" if gpu >= 0 else "" for gpu in gpus],
        "gpu_path": list(paths) or ["direct" if gpu >= 0 else "" for gpu in gpus],
    }
    with h5py.File(path, "r+", libver=("v110", "v110")) as file:
        file["ranks/gpu"] = np.array(gpus, "i4")
        for name, values in texts.items():
            file[f"ranks/{name}"] = np.array([value.encode() for value in values], "S64")
    return path
