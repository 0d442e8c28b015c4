"""What a store looks like to other programs."""
