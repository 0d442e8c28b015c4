"""Folding changes into the state: the only definition of what is current."""
