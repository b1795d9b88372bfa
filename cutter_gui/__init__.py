"""Cutter GUI: split neural networks into pipeline stages by cutting edges."""

__version__ = "0.1.0"
