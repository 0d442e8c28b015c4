"""Whether a newer statement brings up to date what an older one says, though nothing in it says so."""
