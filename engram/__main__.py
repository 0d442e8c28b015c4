"""`python -m engram`."""

from engram.cli.main import run

if __name__ == "__main__":
    run()
