"""Which known fact a statement puts right, and how it reads then."""
