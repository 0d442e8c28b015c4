"""The hand-off block: its grammar, and the fields that an answer becomes."""
