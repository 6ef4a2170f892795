"""Turn observations into findings, and mark those that the project does not want to see."""
