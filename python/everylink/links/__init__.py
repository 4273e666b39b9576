"""Questions about links: how fast they are, which failed, which are slowest, which of two runs are the same."""
