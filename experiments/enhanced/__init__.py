"""Enhanced TFRC in simulation. A package, because tests/vectors has a module of the same name."""
