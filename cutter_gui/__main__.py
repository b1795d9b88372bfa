"""``python -m cutter_gui`` is ``cutter-gui``."""

import sys

from cutter_gui.cli import main

if __name__ == "__main__":
    sys.exit(main())
