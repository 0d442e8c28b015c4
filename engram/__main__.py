"""`python -m engram`."""

from engram.cli.entry import run

if __name__ == "__main__":
    run()
