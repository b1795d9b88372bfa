"""Everything that imports torch: programs, their stages, serialization and rewriting. Nothing else of the package does.

Opening and planning a ``.pt2`` needs none of it. What it loads from files may run their code, so that only the process
which `cutter_gui.fx.child` starts for that imports it, or a Python program that uses these modules itself.
"""
