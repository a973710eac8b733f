"""``python -m albeit``: the same as the command ``albeit``."""

import sys

from albeit.cli import main

if __name__ == "__main__":
    sys.exit(main())
