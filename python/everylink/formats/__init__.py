"""Other programs' files, and writing our own."""
