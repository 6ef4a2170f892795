"""Measure hwlint on released packages: speed against peers, recall on known faults, fixes on real devices."""
