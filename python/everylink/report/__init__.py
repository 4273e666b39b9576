"""Renderers: each takes results and writes one kind of output."""
