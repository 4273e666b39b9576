"""Writes which rank goes to which host: for Open MPI's --rankfile, and for Slurm's --distribution=arbitrary."""

from collections.abc import Sequence
from pathlib import Path

from everylink.errors import UserMistake
from everylink.files import refuse_existing
from everylink.results import Ranks

OPEN_MPI, SLURM = ".rankfile", ".hostfile"


def paths_of(prefix: Path) -> tuple[Path, Path]:
    """The files of a name: that of Open MPI, that of Slurm."""
    return prefix.with_name(prefix.name + OPEN_MPI), prefix.with_name(prefix.name + SLURM)


def check_paths(prefix: Path, ranks: Ranks, force: bool) -> None:
    """Raise UserMistake where the files could not be written, or names of hosts are not enough to find the places."""
    for path in paths_of(prefix):
        refuse_existing(path, force)
    index_of: dict[str, int] = {}
    for name, index in zip(ranks.host, ranks.host_index.tolist(), strict=True):
        if index_of.setdefault(name, index) != index:
            raise UserMistake(f"--place: two hosts are named {name}; a file of hosts cannot tell them apart")
        if not name or not name.isprintable() or any(c in " ,=#" for c in name):
            raise UserMistake(f"--place: host '{name}' cannot stand in a file of hosts")


def write_rank_files(prefix: Path, ranks: Ranks, place: Sequence[int]) -> tuple[Path, Path]:
    """Write both; `place[i]` is the rank of the run where rank i goes. Its slot is its number on its host."""
    open_mpi, slurm = paths_of(prefix)
    slots = [f"rank {i}={ranks.host[p]} slot={ranks.local_rank[p]}\n" for i, p in enumerate(place)]
    try:
        open_mpi.write_text("".join(slots))
        slurm.write_text("".join(f"{ranks.host[p]}\n" for p in place))
    except OSError as error:
        raise UserMistake(f"--place {prefix}: cannot be written: {error.strerror}") from None
    return open_mpi, slurm
