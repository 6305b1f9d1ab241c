"""Mixed-integer linear programs as arrays: files, exact evaluation, propagation. Knows no solver."""
