"""A small package of kernels that use each other over modules; tests copy it, change it and run it."""
