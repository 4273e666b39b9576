"""Everything about load patterns: sums, judgement, comparison, tables, figure, page, CSV."""
