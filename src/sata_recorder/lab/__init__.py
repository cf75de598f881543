"""Simulated: what a stream gets on a drive, before there is a board."""
