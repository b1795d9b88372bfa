"""Reads, splits and serializes torch.fx graphs; torch is imported on demand."""
