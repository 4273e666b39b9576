"""An argument parser whose complaints are Everylink's: one line, exit code 2."""

import argparse
from typing import NoReturn

from everylink.errors import UserMistake


class Parser(argparse.ArgumentParser):
    """Raises UserMistake where argparse would print its usage and exit."""

    def error(self, message: str) -> NoReturn:
        raise UserMistake(f"{self.prog.split()[-1]}: {message}; try {self.prog} --help")
