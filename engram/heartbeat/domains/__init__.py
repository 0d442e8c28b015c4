"""The domain scan, and what subagents are told and propose."""
