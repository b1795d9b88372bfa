"""Reads, splits, writes and verifies ONNX models."""

import os

# onnxruntime counts its use: when it is imported, it makes an identifier and a database in the user's cache folder, and
# complains on standard error where it cannot. Looking at a model is nobody else's business, unless the user says so.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
