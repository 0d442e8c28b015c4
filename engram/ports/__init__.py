"""The seams as Protocols: what the services need of the world."""
