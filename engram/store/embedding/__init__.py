"""Which model turns text into vectors, how it is loaded without waiting for a network, and what is kept of its work."""
