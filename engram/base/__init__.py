"""The lowest floor with code: clock, ids, text, files. Standard library only."""
