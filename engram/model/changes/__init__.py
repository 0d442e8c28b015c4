"""Changes: what a record of the journal says, and the state that they fold to."""
