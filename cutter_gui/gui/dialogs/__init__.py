"""Questions, errors and results. Every dialog is opened without blocking and calls back."""
