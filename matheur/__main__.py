"""`python -m matheur`: the command line."""

from matheur.cli import main

if __name__ == "__main__":
    main()
