"""What a person meant by editing an items.json: item by item."""

from typing import Any
from typing import Final

from engram.base.json_values import load_json
from engram.base.text import clean_statement
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.rules.edits.reader import CATEGORIES
from engram.rules.edits.reader import CHANGEABLE
from engram.rules.edits.reader import Edit
from engram.rules.edits.reader import EditPlan
from engram.rules.edits.reader import Reader

_FIXED: Final = ("category", "confidence", "abstraction", "tags", "related", "attribute", "value")  # of one version
_DATES: Final = ("valid_from", "valid_to", "valid_from_precision", "valid_to_precision")
_NEW: Final = (*_FIXED, *_DATES)  # what a new item may bring along


class ItemsReader(Reader):
    """Reads items.json item by item."""

    def plan(self) -> EditPlan:
        """Return what the file asks for."""
        try:
            whole = load_json(self.file.content)
        except ValueError as problem:
            return EditPlan(damage=f"it is not valid JSON: {problem}")
        items = whole.get("facts") if isinstance(whole, dict) else None
        if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
            return EditPlan(damage='it has no list of objects under "facts"')
        for number, item in enumerate(items, 1):
            self._read(item, f"item {number}")
        return EditPlan(tuple(self.edits), tuple(self.ignored))

    def _read(self, item: dict[str, Any], where: str) -> None:
        text, fact_id = item.get("text"), item.get("id")
        if not isinstance(text, str) or not clean_statement(text):
            self.ignore(where, "has no text")
        elif fact_id in (None, ""):
            fields = {key: item[key] for key in _NEW if item.get(key) is not None}
            self.add({**fields, "text": clean_statement(text)}, self._span(text))
        elif not isinstance(fact_id, str) or fact_id not in self.facts:
            self.ignore(where, f"has the id {fact_id!r}, which is no fact of {self.entity.path}; leave the id out")
        elif not self.is_second(self.facts[fact_id], where):
            self._read_known(item, self.facts[fact_id], clean_statement(text), where)

    def _read_known(self, item: dict[str, Any], fact: Fact, text: str, where: str) -> None:
        category = str(item.get("category") or "")
        taken_along = {"category"} if text != fact.text else set()
        if item.get("status") == Status.RETRACTED and fact.status in CHANGEABLE:
            reason = item.get("reason")
            given = reason if isinstance(reason, str) and reason.strip() else f"retracted in life/{self.file.name}"
            self.retract(fact, given)
        elif text != fact.text:
            new = {"category": category} if category and category != fact.category else {}
            self.change(fact, text, {**new, **_new_end(item, fact)}, self._span(text), where)
        elif fact.status in CHANGEABLE and (end := _new_end(item, fact)):
            self.date(fact, end, self._span(text))
        elif item.get("status") == Status.ACTIVE and fact.status == Status.CANDIDATE:
            self.edits.append(Edit("confirm", {"id": fact.id, "source": self.source(self._span(text))}))
        elif fact.status == Status.ACTIVE and category in CATEGORIES - {fact.category}:
            self.recategorise(fact, category, self._span(text))
            taken_along = {"category"}
        stored = fact.model_dump(mode="json", include=set(_FIXED))
        for key in _FIXED:
            if key in item and item[key] != stored[key] and key not in taken_along:
                self.ignore(where, f"gives {fact.id} another {key}; write the fact anew to change that")

    def _span(self, text: str) -> tuple[int, int] | None:
        raw = text.encode(errors="surrogatepass")
        start = self.file.content.find(raw)
        return None if start < 0 else (start, start + len(raw))


def _new_end(item: dict[str, Any], fact: Fact) -> dict[str, str]:
    """Return the end that an item gives its fact, as `correct` takes it; empty when it is the one it had, or none."""
    said, precision = item.get("valid_to"), item.get("valid_to_precision")
    stored = fact.model_dump(mode="json", include={"valid_to"})["valid_to"]
    if not isinstance(said, str) or not said.strip() or said == stored:
        return {}
    return {"valid_to": said, **({"valid_to_precision": precision} if isinstance(precision, str) else {})}
