"""Which of the candidates still hold, and which a newer statement has replaced."""
