"""Questions about links: their speed, failures and extremes; matching the links of two runs; merging runs."""
