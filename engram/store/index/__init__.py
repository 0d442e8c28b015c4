"""What every adapter of the vector index does alike, whatever engine holds the points."""
