"""The commands on entities, and on the graph that facts make of them."""
