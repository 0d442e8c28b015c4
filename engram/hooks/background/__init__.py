"""What hooks leave to other processes: later work, and the warm process."""
