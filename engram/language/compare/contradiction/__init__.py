"""How a newer statement stands to an older one: the same, excluding it, ending it, denying it."""
