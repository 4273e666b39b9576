"""Questions to a results file, one a file: pure functions from arrays to frozen dataclasses."""
