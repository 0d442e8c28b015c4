"""Names of another memory as entity paths here: the same name is always the same entity, two names never are one."""

from engram.importers.memories.fields import entity_for


class Names:
    """The names of one source."""

    def __init__(self) -> None:
        """Begin with none."""
        self._paths: dict[str, str] = {}  # name -> path
        self._taken: set[str] = set()
        self._declared: set[str] = set()

    def add(self, name: str, kind: str = "") -> None:
        """Take a name that the source declares, with its own word for the kind of thing."""
        if name:
            self._declared.add(name)
            self._take(name, kind)

    def find(self, name: str) -> str:
        """Return the entity path of a name, "" when none can be made of it."""
        return self._paths.get(name) or self._take(name, "")

    def is_declared(self, name: str) -> bool:
        """Tell whether the source declares the name, rather than only mentioning it."""
        return name in self._declared

    def _take(self, name: str, kind: str) -> str:
        path = entity_for(name, kind) if name else ""
        if not path or name in self._paths:
            return self._paths.get(name, "")
        free, attempt = path, 2
        while free in self._taken:
            free, attempt = f"{path}-{attempt}", attempt + 1
        self._paths[name] = free
        self._taken.add(free)
        return free
