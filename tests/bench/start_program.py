"""The program as the command starts it with the arguments given; the bench gives none."""

from __future__ import annotations

import sys

import first_frame

first_frame.print_time_and_quit()
sys.argv[0] = "cutter-gui"

from cutter_gui.cli import main  # noqa: E402 - the clock runs: as late as the command would

sys.exit(main())
