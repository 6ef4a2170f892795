"""Work out, for every architecture at once, what code that depends on the hardware does."""
