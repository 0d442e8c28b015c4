"""What a run tells: the report in its note, and alerts."""
