"""Joins verdicts with what hosts say of themselves: why is something slow?"""
