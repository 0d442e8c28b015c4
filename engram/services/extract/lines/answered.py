"""Answers in a few words, each behind its question: to the last question, to several in turn, or one turn later."""

from collections.abc import Iterable
from collections.abc import Sequence
from typing import Final

from engram.language.compare.slots.answers import QUESTION_ENDS
from engram.language.compare.slots.answers import asks_for_long
from engram.language.compare.slots.answers import fits_kind
from engram.language.compare.slots.answers import is_lasting_answer
from engram.language.compare.slots.answers import puts_off
from engram.language.compare.slots.proposals import only_agrees
from engram.language.screen.secrets import answers_with_secret
from engram.language.signal.detector import HIGH
from engram.language.signal.detector import detect
from engram.language.signal.detector import is_small_talk
from engram.services.extract.lines.line import Line
from engram.services.extract.lines.read_line import ReadLine
from engram.services.extract.lines.turns import Turn
from engram.services.extract.lines.turns import iter_conversations

_PUT_OFF: Final = 4  # turns: a question, that it is put off, a reply, the answer
_SHORT_REPLY: Final = 60  # characters of an agent's turn that leaves its question open


def with_answers(lines: Iterable[ReadLine]) -> list[ReadLine]:
    """Return lines, and in the place of each answer of a few words that answer behind its question.

    It is left as it is where it is not certain which question it answers.
    """
    read = list(lines)
    for turns in iter_conversations(read):
        for number, turn in enumerate(turns):
            if number and not read[turn[0]].line.is_agent:
                for place, question in _answered(read, turns[: number + 1]):
                    read[place] = read[place]._replace(line=_with_question(read[place].line, question))
    return read


def _answered(read: Sequence[ReadLine], turns: Sequence[Turn]) -> list[tuple[int, str]]:
    """Return the lines of the last turn that may answer a question before it, with that question."""
    turn, asked = turns[-1], turns[-2]
    if read[asked[0]].line.speaker == read[turn[0]].line.speaker:
        return []
    questions = _questions(read, asked)
    if len(questions) == len(turn) > 1:
        pairs = list(zip(turn, questions, strict=True))
        return pairs if all(_is_answer(read[place].line, question) for place, question in pairs) else []
    first = turn[0]
    if questions and read[asked[-1]].line.text == questions[-1]:
        lasting = [one for one in questions if asks_for_long(one)]
        fitting = [one for one in lasting if fits_kind(one, read[first].line.text)]
        likely = fitting if len(lasting) > 1 else questions[-1:]
        return [(first, likely[0])] if len(likely) == 1 else []
    question = "" if questions else _open_question(read, turns)
    return [(first, question)] if question else []


def _open_question(read: Sequence[ReadLine], turns: Sequence[Turn]) -> str:
    """Return the one question that was put off two turns before, where nothing but a short reply came since."""
    if len(turns) < _PUT_OFF:
        return ""
    asked, meanwhile, reply, turn = turns[-_PUT_OFF:]
    if sum(len(read[place].line.text) for place in reply) > _SHORT_REPLY:
        return ""
    speakers = [read[one[0]].line.speaker for one in (asked, meanwhile, reply, turn)]
    questions = _questions(read, asked)
    if speakers[0] != speakers[2] or speakers[1] != speakers[3] or speakers[0] == speakers[1] or len(questions) != 1:
        return ""
    said = [read[place].line.text for place in meanwhile]
    is_left = all(puts_off(questions[0], one) or is_small_talk(one) for one in said)
    return questions[0] if is_left and read[asked[-1]].line.text == questions[0] else ""


def _questions(read: Sequence[ReadLine], turn: Turn) -> list[str]:
    texts = [read[place].line.text for place in turn]
    return [text for text in texts if text.endswith(QUESTION_ENDS)]


def _is_answer(line: Line, question: str) -> bool:
    """Tell whether a line is a few words that say nothing without the question, and may be kept behind it.

    A question that states or orders something is left out: that would be kept as the answerer's words. So is one for
    a secret; and who only agrees has taken it for a proposal.
    """
    if not is_lasting_answer(question, line.text) or is_small_talk(line.text) or only_agrees(question, line.text):
        return False
    return detect(question).signal != HIGH and not answers_with_secret(question, line.text)


def _with_question(line: Line, question: str) -> Line:
    if not _is_answer(line, question):
        return line
    return line._replace(text=f"{question.strip()} {line.text}", before="", is_answer=True)
