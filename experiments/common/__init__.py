"""What the experiments share: the runner of their jobs, tables and figures; and in C++, what
their programs do."""
