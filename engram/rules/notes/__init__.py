"""Where notes are divided, how their entries keep their ids, and the form of roll-ups."""
