"""The commands on sessions: notes, handoffs, working memory, decisions, and transcripts."""
