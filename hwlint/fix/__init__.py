"""Turn findings into edits: which entry to add, in whose style, and how sure that is."""
