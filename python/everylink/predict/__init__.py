"""Predicts what a traffic pattern costs on the measured links, and finds better placements."""
