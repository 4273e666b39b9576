"""The HTML report of links."""
