"""Find, read, search and parse the files of a code base, and map syntax nodes to places in their text."""
