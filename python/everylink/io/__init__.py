"""Reads results and topologies in every format, and writes results. No other package knows the layout of a file."""
