"""Adapters: journal, spool, DuckDB, Qdrant, embedders, mirror, locks."""
