"""What a hook does at an event: keep a prompt, give context, and see whether it was used."""
