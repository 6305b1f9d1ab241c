"""`python -m matheur`: the command line."""

import sys

from matheur.cli import main

if __name__ == "__main__":
    sys.exit(main())
