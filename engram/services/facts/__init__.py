"""Facts as they are asked for: lists, provenance, status, timelines, forecasts and contradictions."""
