"""What is asked of a memory: questions, start blocks, lists, and what is known of how well it answers."""
