"""A newcomer's past, invented: what two programs left of four weeks on three projects, and of a fifth with changes."""
