"""Run a script of this folder, for example ``python -m training judge.prepare --data DATA …``."""

from __future__ import annotations

import sys
from importlib import import_module

from training.options import read_options

if __name__ == "__main__":
    sys.argv[0] = f"training {sys.argv.pop(1)}"
    module = import_module(f"training.{sys.argv[0].split()[1]}")
    if hasattr(module, "Settings"):
        module.main(read_options(module.Settings))
    else:
        read_options(module.main)
