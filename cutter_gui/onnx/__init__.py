"""Reads, splits, writes and verifies ONNX models."""
