"""The DuckDB adapter: its schema, its queries, and what of it a change touches."""
