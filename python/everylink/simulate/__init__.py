"""Simulated clusters with known faults."""
