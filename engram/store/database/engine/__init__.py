"""DuckDB itself: when it is loaded, its instances in this process, and what its errors mean."""
