"""What answers for a phase: the built-in child, and the language models that there are presets for."""
