"""From when and until when a statement holds: its sentences and clauses, what they say of time, and the days."""
