"""What somebody sees who looks at a part of the memory: read together for a door, as far as its reader may see it."""
