"""Sentences about a run and about a judgement that terminal, pages and figures share."""
