"""Code that experiments share. The Python part plays runs on the testbed; the C++ part is common to
the simulation programs."""
