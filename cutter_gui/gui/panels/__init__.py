"""What stands around the canvas: cuts, inspector, stages, problems."""
