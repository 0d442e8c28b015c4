"""The journal as files: lines, segments, reading and appending, and what repairs them."""
