"""The commands of ``cutter-gui`` that work without a window, one module each.

Each module offers ``add_arguments(parser)`` and ``run(arguments) -> int`` (the exit code).
"""
