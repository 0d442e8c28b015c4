"""How a question is answered: candidates, their order, what is shown, and why the rest is not."""
