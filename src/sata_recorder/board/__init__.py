"""A board with a drive, or its stand-in: station, qualification and panel."""
