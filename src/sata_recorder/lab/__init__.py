"""Simulated: what a stream gets from a drive, before there is a board."""
