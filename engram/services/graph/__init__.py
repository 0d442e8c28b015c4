"""Who and what is joined by facts: the graph at a moment and at all days, what is near, and which groups there are."""
