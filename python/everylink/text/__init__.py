"""Sentences about runs and judgements, shared by terminal, pages and figures."""
