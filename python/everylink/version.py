"""The version of Everylink and of everylink-measure. CMake and the packages read this file."""

VERSION = "0.2.0"
