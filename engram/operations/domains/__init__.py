"""Domains as a subagent meets them: where they lie, their prompts, what they propose, and which folders are theirs."""
