"""Confirm fixes on a real device and keep its answers."""
