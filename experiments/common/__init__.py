"""Shared by the experiments: in Python the runs on the testbed, in C++ the parts of the
programs."""
