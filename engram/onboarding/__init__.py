"""The first minute: what somebody new has on this machine, shown on one screen, and all of it set up at once."""
