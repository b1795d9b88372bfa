"""The drawing of the graph: one viewport over arrays."""
