"""Do what one command promises: one module per use case."""
