"""Transcripts of other programs' conversations, one small file per format."""
