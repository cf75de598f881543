"""A board with a drive, or its stand-in: station, qualification, endurance and panel."""
