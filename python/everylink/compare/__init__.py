"""Finds what changed from one run of links to another."""
