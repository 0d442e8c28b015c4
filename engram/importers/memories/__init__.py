"""What other memory systems keep, one small reader for each: bytes in, items out, nothing touched."""
