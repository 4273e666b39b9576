"""Starts everylink-measure: finds it, builds the command line of a launcher, and reads what it says while it runs."""
