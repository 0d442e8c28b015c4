"""What must not pass: secrets, orders to the agent in any disguise, and echoes of recall."""
