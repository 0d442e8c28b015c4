"""The classes of `bench crash`: faults, what they are done to, and what must hold afterwards."""
