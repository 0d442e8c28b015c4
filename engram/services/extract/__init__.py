"""What is taken from notes and turns: which statements, about whom, from when and until when."""
