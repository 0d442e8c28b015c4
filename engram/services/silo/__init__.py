"""The files of one session: daily notes, handoff, working memory, decisions, and their archives."""
