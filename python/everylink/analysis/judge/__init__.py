"""Judges a results file: which host, rank, link or group of hosts is bad, how sure that is, and on what evidence."""
