"""What a change comes to, told to a person in the same words at every door."""
