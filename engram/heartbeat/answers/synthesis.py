"""The built-in answer for synthesis: the text of roll-ups, or what comes again and again.

A question about roll-ups has `rollups`, a list, each with `file` (relative to the workspace), `kind` (weekly, monthly),
`title`, `limit` (lines), `notes` (of a week: `day`, `link` from the folder of the roll-up, `text`), `weeks` (of a
month: lists of [section, text, label, target]), and `carried` (such lines of the former roll-up whose note is gone).
The answer is `summary_content`: one text for each file, without heading, marker and sources; empty when nothing is
worth a line.

A question about facts has `entities`, a list of those that changed, each with its `facts` (`services.wisdom.Said` as
JSON), and `pattern_occasions`, `principle_weeks`, `owner`, `in_memory` (ids that stand in MEMORY.md) and `memory_says`
(fingerprints of its lines), `told` (key of a candidate -> on how many occasions it stood when it was told) and `most`
(candidates of one answer). The answer is `proposals`, those with most occasions first; `left` in the stats counts the
others.

Both have `patterns`: the settings' own signs of an order to the agent.

An agent command is asked after the built-in child: with `rollups`, each `file`, `kind`, `title` and `draft`; or with
`proposals` as the built-in child made them, each with `evidence` (texts of its sources). It may word them anew; it
names no other file, and no other sources.
"""

import datetime as dt
from typing import Any

from engram.base.counts import counted
from engram.base.text import fingerprint
from engram.language.screen.injection import find_injection
from engram.model.fact import Abstraction
from engram.model.fact import Category
from engram.model.handoff import Handoff
from engram.model.handoff import HandoffProposal
from engram.model.handoff import HandoffStatus
from engram.model.handoff import HandoffText
from engram.rules.notes.rollup import WEEKLY
from engram.rules.notes.rollup import Item
from engram.rules.notes.rollup import render_items
from engram.services.synthesis.patterns import Candidate
from engram.services.synthesis.patterns import Said
from engram.services.synthesis.patterns import find_memory_lines
from engram.services.synthesis.patterns import find_patterns
from engram.services.synthesis.patterns import find_principles
from engram.services.synthesis.rollup_lines import Choice
from engram.services.synthesis.rollup_lines import DailyNote
from engram.services.synthesis.rollup_lines import choose_of_notes
from engram.services.synthesis.rollup_lines import choose_of_rollups


def answer(given: dict[str, Any]) -> Handoff:
    """Answer for synthesis: the text of roll-ups, and what comes again and again."""
    texts = tuple(_text(one, given["patterns"]) for one in given.get("rollups", ()))
    candidates = _candidates(given) if "entities" in given else []
    proposals = tuple(_proposal(one) for one in candidates[: given.get("most")])
    return Handoff(
        status=HandoffStatus.OK,
        summary=f"{counted(len(texts), 'roll-up')}, {counted(len(proposals), 'candidate')}",
        stats={"rollups": len(texts), "candidates": len(proposals), "left": len(candidates) - len(proposals)},
        summary_content=texts,
        proposals=proposals,
    )


def _text(rollup: dict[str, Any], patterns: list[str]) -> HandoffText:
    is_week = rollup["kind"] == WEEKLY
    chosen = _choose_week(rollup, patterns) if is_week else _choose_month(rollup, patterns)
    where = "the notes of this week" if is_week else "the weeks of this month"
    body = render_items(chosen.items, chosen.left_out, where) if chosen.items else ""
    return HandoffText(name=rollup["file"], text=body)


def _choose_week(rollup: dict[str, Any], patterns: list[str]) -> Choice:
    notes = [DailyNote(dt.date.fromisoformat(one["day"]), one["link"], one["text"]) for one in rollup["notes"]]
    carried = [Item(*one) for one in rollup["carried"]]
    return choose_of_notes(notes, rollup["limit"], carried=carried, patterns=patterns)


def _choose_month(rollup: dict[str, Any], patterns: list[str]) -> Choice:
    weeks = [[Item(*item) for item in week] for week in rollup["weeks"]]
    carried = [Item(*one) for one in rollup["carried"]]
    return choose_of_rollups([carried, *weeks] if carried else weeks, rollup["limit"], patterns=patterns)


def _candidates(given: dict[str, Any]) -> list[Candidate]:
    """Return what is to be decided, each statement once: as a line of MEMORY.md only when it is settled as a fact."""
    said = [[_said(fact) for fact in entity["facts"]] for entity in given["entities"]]
    found: list[Candidate] = []
    for facts in said:
        found += find_patterns(facts, given["pattern_occasions"])
        found += find_principles(facts, given["principle_weeks"])
    pending = {source for one in found for source in one.sources}
    known = frozenset(given["memory_says"])
    for one in find_memory_lines(
        (fact for facts in said for fact in facts), given["owner"], frozenset(given["in_memory"])
    ):
        if pending.isdisjoint(one.sources) and fingerprint(one.text) not in known:
            found.append(one)
    return _news([one for one in found if find_injection(one.text, given["patterns"]) is None], said, given)


def _news(found: list[Candidate], said: list[list[Said]], given: dict[str, Any]) -> list[Candidate]:
    """Return the candidates that were never told of, or have as much evidence more as makes a pattern.

    Those with most occasions come first, of equals the weightiest.
    """
    of_fact = {one.id: one.occasions for facts in said for one in facts}
    counted = [(len(frozenset().union(*(of_fact[source] for source in one.sources))), one) for one in found]
    told, more = given.get("told", {}), given["pattern_occasions"]
    news = [(count, one) for count, one in counted if one.key not in told or count >= told[one.key] + more]
    return [one for _, one in sorted(news, key=lambda pair: (-pair[0], -pair[1].importance))]


def _said(fact: dict[str, Any]) -> Said:
    return Said(
        **{
            **fact,
            "category": Category(fact["category"]),
            "abstraction": Abstraction(fact["abstraction"]),
            "slot": tuple(fact["slot"]) if fact["slot"] else None,
            "occasions": frozenset(fact["occasions"]),
        }
    )


def _proposal(one: Candidate) -> HandoffProposal:
    return HandoffProposal(
        target="memory" if one.target == "memory" else "fact",
        text=one.text,
        entity=one.entity,
        category=one.category,
        abstraction=one.abstraction,
        sources=(one.sources[0], *one.sources[1:][-199:]),  # the first names the candidate; the newest speak for it
    )
