"""Where facts come from: their chain back to the source, and the sessions in which they were said."""
