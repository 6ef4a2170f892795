"""Speak the language server protocol: what hwlint finds, in the editor, while the code is being written."""
