"""What the files in life/ show: tiers, shelves, importance, and the bytes of their pages."""
