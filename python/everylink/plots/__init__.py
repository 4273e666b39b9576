"""Figures: they take results and give a matplotlib figure; none of them reads or writes a file."""
