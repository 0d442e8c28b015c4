"""How the built-in children answer: one module a phase, each with `answer`, pure: JSON in, hand-off out."""
