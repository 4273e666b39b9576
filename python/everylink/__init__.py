"""Everylink judges and shows what `everylink-measure` measured: every point-to-point connection of a cluster."""

__version__ = "0.1.0"
