"""Run a fix on the device that is there, and keep what was seen."""
