"""What was measured night after night: a folder of runs, and questions over many of them."""
