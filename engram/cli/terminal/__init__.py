"""What a person sees: streams, lines, tables and progress on a terminal."""
