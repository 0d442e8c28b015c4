"""What becomes of an entity and everything around it when it moves, is merged, or is split."""
