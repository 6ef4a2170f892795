"""Find, explain and mend hardware-version assumptions in Python code without running it."""

__version__ = "0.1.0"
