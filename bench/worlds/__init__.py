"""Worlds in which `everylink diagnose` must be right: clusters with physics of their own, some with planted faults.

Nothing here is shared with the judge or with `everylink simulate`. See bench/README.md.
"""
