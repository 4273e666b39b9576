"""Reads results and topologies in each format, and writes results; nothing else knows the layout of a file."""
