"""What can stand in the place of a file and is none: each by the words in which it is refused."""

import os
import socket
from collections.abc import Callable
from pathlib import Path


def make_socket(path: Path) -> None:
    """Make a socket that nobody listens at."""
    here = Path.cwd()
    os.chdir(path.parent)  # the name of a socket may not be long
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(here)


NO_FILES: dict[str, Callable[[Path], object]] = {
    "it is a folder, and no file": Path.mkdir,
    "it is a socket, and no file": make_socket,
    "it is a device, and no file": lambda path: path.symlink_to("/dev/zero"),
    "it is a pipe": os.mkfifo,
    "No such file or directory": lambda path: path.symlink_to("nowhere"),
    "Too many levels of symbolic links": lambda path: path.symlink_to(path.name),
}
