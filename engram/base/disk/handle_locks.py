"""The system's lock on an open file, held until its handle is closed."""


def lock_handle(handle: int, *, wait: bool = True) -> None:
    """Lock an open file for us alone; without `wait`, raise BlockingIOError when somebody holds it."""
    import portalocker  # noqa: PLC0415 - the light path of hooks seldom needs it

    flags = portalocker.LockFlags.EXCLUSIVE
    try:
        portalocker.lock(handle, flags if wait else flags | portalocker.LockFlags.NON_BLOCKING)
    except portalocker.LockException as problem:
        cause = problem.__cause__
        if isinstance(cause, OSError) and not isinstance(cause, BlockingIOError):
            raise cause from problem
        raise BlockingIOError(str(problem)) from problem
