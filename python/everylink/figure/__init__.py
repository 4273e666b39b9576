"""Figures of links: they take values and give matplotlib figures; and the files that hold figures."""
