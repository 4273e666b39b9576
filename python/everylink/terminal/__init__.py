"""What is printed: tables, a heat map, findings, progress, and the text tables for other programs."""
