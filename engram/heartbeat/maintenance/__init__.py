"""The maintenance phase: projections, rotation and checks."""
