"""Memory that was freed, given back to the system: an allocator keeps it for the next time."""

import ctypes


def give_memory_back() -> None:
    """Have the allocator give back what is free; does nothing where it is none that can be asked, as outside of glibc.

    For who has freed some hundred MB and goes on for minutes. It takes about 0.1 s.
    """
    try:
        trim = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # another C library, or a system that opens none without a name
        return
    trim(0)
