"""How nextpnr places, for a build and for measurements alike."""

#: nextpnr's placer weighs the delay of paths against the length of wires. On a device with room to
#: spare, as these are, short wires gain nothing: paths get twelve times their weight of 10.
PLACER = ("--placer-heap-timingweight", "120")
