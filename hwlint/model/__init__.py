"""Plain values that every layer shares; imports nothing else of hwlint."""
