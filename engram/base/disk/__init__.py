"""Files on the disk: written durably, locked, listed and read without ever leaving their folder."""
