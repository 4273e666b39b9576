"""Starts everylink-measure: finds it, builds the command of a launcher, and reads its output while it runs."""
