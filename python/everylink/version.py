"""The version of Everylink; everylink-measure must have the same one."""

VERSION = "0.1.0"
