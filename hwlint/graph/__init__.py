"""Know which module is which, what each binds, and where a name comes from, without running anything."""
