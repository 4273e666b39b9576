"""Judges the links of a run: which host, rank, link or group of hosts is bad, how sure that is, and why."""
