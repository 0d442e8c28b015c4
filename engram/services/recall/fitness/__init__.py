"""What a candidate is to a question as an answer: whether it only asks too, and whether it holds what is asked for."""
