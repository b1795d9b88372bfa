"""Places a graph: nodes and edges to positions, without Qt."""
