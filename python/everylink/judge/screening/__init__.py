"""Judges a screening: few partners of every host, in memory that grows with what was measured."""
