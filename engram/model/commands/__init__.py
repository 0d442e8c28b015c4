"""Commands: what somebody asks for, and the envelope in which it waits."""
