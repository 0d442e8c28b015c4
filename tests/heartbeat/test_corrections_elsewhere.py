"""What a person puts right days later, in another conversation, wherever it is filed; and what only sounds alike."""

from collections.abc import Sequence
from typing import NamedTuple

import pytest

from engram.heartbeat.child import child_answer
from engram.heartbeat.child.limited_process import ENDED
from engram.heartbeat.child.limited_process import Ending
from engram.heartbeat.run.options import RunOptions
from engram.heartbeat.run.runner import run_heartbeat
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.model.handoff import Handoff
from engram.model.handoff import HandoffFact
from engram.model.handoff import HandoffStatus
from engram.ports.database import FactFilter
from engram.rules.handoff.handoff import render_handoff
from engram.workspace import Workspace
from tests.cases import for_each
from tests.conftest import workspace_in
from tests.heartbeat.in_process import answer_in_process

PUT_RIGHT = (  # entity, what was said, what is said later, what stands in its place then
    (
        "projects/choir",
        "The choir rehearsal is in March.",
        "it isn't March for the choir, it's April, I got that wrong",
        "April",
    ),
    (
        "people/otto",
        "Otto's locker is number 214.",
        "I told you wrong, Otto's locker is number 241, not 214",
        "241",
    ),
    (
        "people/ada",
        "Ada's extension is 030 5550 7181.",
        "I said Ada's extension was 030 5550 7181, that's wrong, it's 030 5550 7118",
        "7118",
    ),
    (
        "projects/garden",
        "We buy our compost from Hollis.",
        "we've gone over to Brandt for compost",
        "Brandt",
    ),
    (
        "projects/choir",
        "The concert fee is 35 euros per singer.",
        "we keep the fee for the concert at 38 after all, so not 35",
        "38",
    ),
    (
        "people/milo",
        "Milo can't eat shellfish.",
        "it's sesame he can't eat, not shellfish",
        "sesame",
    ),
    (
        "projects/lab",
        "Tank 1 holds 40 litres, tank 2 holds 65 litres, and the pump runs for 12 minutes.",
        "correction: tank 2 holds 70 litres, not 65",
        "pump runs for 12",
    ),
    (
        "projects/club",
        "We close at 10 on Sundays.",
        "we're closing at 8 instead of 10 on Sundays",
        "8",
    ),
    (
        "projects/chor",
        "Die Chorprobe ist im März.",
        "Es ist nicht März bei der Chorprobe, es ist April, das hatte ich falsch im Kopf",
        "April",
    ),
    (
        "people/jonas",
        "Die Spindnummer von Jonas ist 318.",
        "Ich hab dir Quatsch erzählt, die Spindnummer von Jonas ist 381, nicht 318",
        "381",
    ),
    (
        "projects/hof",
        "Das Heu kostet 140 Euro pro Ballen.",
        "wir lassen das Heu bei 155 Euro, also nicht 140",
        "155",
    ),
    (
        "projects/hof",
        "Wir schließen samstags um 18 Uhr.",
        "wir schließen samstags um 17 statt um 18 Uhr",
        "17",
    ),
    (
        "people/lea",
        "Le casier de Léa porte le numéro 512.",
        "je t'ai dit une bêtise, le casier de Léa est le 521, pas le 512",
        "521",
    ),
    (
        "projects/ferme",
        "La livraison du foin est en mars.",
        "ce n'est pas mars pour la livraison, c'est avril, je me suis trompée",
        "avril",
    ),
    (
        "projects/ferme",
        "La cotisation est de 85 euros.",
        "on garde la cotisation à 95, donc pas 85",
        "95",
    ),
    (
        "people/ines",
        "La taquilla de Inés es la 717.",
        "te dije mal, la taquilla de Inés es la 771, no la 717",
        "771",
    ),
    (
        "projects/huerto",
        "La entrega del abono es en marzo.",
        "no es marzo para la entrega del abono, es abril, me equivoqué",
        "abril",
    ),
    (
        "projects/huerto",
        "La cuota del huerto cuesta 66 euros.",
        "dije que la cuota del huerto era de 66, está mal, son 69",
        "69",
    ),
    (
        "people/zoya",
        "Шкафчик Зои под номером 915.",
        "я тебе неправильно сказала, шкафчик Зои под номером 951, а не 915",
        "951",
    ),
    (
        "projects/sad",
        "Доставка сена в марте.",
        "доставка сена не в марте, а в апреле, я ошиблась",
        "апрел",
    ),
    (
        "people/wang",
        "王芳的柜子是418号。",
        "我上次跟你说错了，王芳的柜子是481号，不是418号",
        "481",
    ),
    (
        "projects/farm",
        "干草的运送在三月。",
        "干草的运送不是三月，是四月，我记错了",
        "四月",
    ),
    (
        "people/jiho",
        "지호의 사물함은 623번이다.",
        "지난번에 잘못 알려줬어, 지호의 사물함은 623번이 아니라 632번이야",
        "632",
    ),
    (
        "projects/farm",
        "건초 배송은 3월이다.",
        "건초 배송은 3월이 아니라 4월이야, 내가 착각했어",
        "4월",
    ),
    (
        "people/ruth",
        "Ruth's appointment at the clinic is on 14 February.",
        "Ruth's appointment isn't on the 14th, it's on the 16th, my mistake",
        "16",
    ),
    (
        "projects/shop",
        "The spare keys hang in cupboard K.",
        "cupboard K broke, the spare keys are in cupboard M now",
        "cupboard M",
    ),
    (
        "people/ivan",
        "Ivan's licence plate is 4471.",
        "and I told you nonsense: Ivan's licence plate is 4417, not 4471",
        "4417",
    ),
    (
        "projects/shop",
        "Parcels up to 20 kg cost 9 pounds.",
        "sorry no, I told you wrong, parcels up to 25 kg cost the 9 pounds, not up to 20",
        "25",
    ),
    (
        "people/frieda",
        "Frieda ist allergisch gegen Haselnüsse.",
        "Frieda ist gegen Sellerie allergisch, nicht gegen Haselnüsse",
        "Sellerie",
    ),
    (
        "people/karl",
        "Die Telefonnummer von Karla ist 0341 555 2277.",
        "Ich sagte, die Nummer von Karla sei 0341 555 2277, das ist falsch, es ist 0341 555 2772",
        "2772",
    ),
    (
        "people/hugo",
        "Le numéro de Hugo est le 06 11 22 33 44.",
        "je t'ai donné le mauvais numéro de Hugo, c'est le 06 11 22 33 55",
        "55",
    ),
    (
        "projects/atelier",
        "L'atelier ferme à 19 h le mardi.",
        "l'atelier ferme à 18 h au lieu de 19 le mardi",
        "18",
    ),
    (
        "projects/taller",
        "El taller cierra a las 19 los martes.",
        "el taller cierra a las 18 en vez de a las 19 los martes",
        "18",
    ),
    (
        "projects/klub",
        "Взнос в клуб 300 рублей.",
        "я говорил, что взнос в клуб 300 рублей, это неверно, 350",
        "350",
    ),
    (
        "projects/club",
        "俱乐部的会费是88元。",
        "我说俱乐部的会费是88元，那是错的，应该是98元",
        "98",
    ),
    (
        "projects/club",
        "동호회 회비는 5만원이다.",
        "동호회 회비는 6만원이야, 5만원이 아니야",
        "6만",
    ),
)
ALIKE = (  # entity, what was said, what is said later and corrects nothing of it
    (
        "projects/house",
        "Dinner is cooked by Marta.",
        "we went over to Anna for dinner",
    ),
    (
        "projects/map",
        "The shop is at King Street.",
        "the shop closed, so we are in Leeds now",
    ),
    (
        "people/olaf",
        "Olaf isst jeden Tag Brot.",
        "Ich esse mittags Reis, nicht Brot",
    ),
    (
        "people/luc",
        "Luc boit du café le matin.",
        "moi je bois du thé, pas de café",
    ),
    (
        "people/pablo",
        "Pablo come arroz los lunes.",
        "yo como pasta, no arroz",
    ),
    (
        "people/chen",
        "陈伟每天喝咖啡。",
        "我喝茶，不是咖啡",
    ),
    (
        "people/minho",
        "민호는 매일 커피를 마신다.",
        "나는 커피가 아니라 차를 마셔",
    ),
    (
        "projects/bus",
        "The bus to Leeds leaves at 17.",
        "he took the tram instead of the bus to Hull",
    ),
    (
        "projects/shopping",
        "I bought coffee for the office.",
        "I like tea, not coffee",
    ),
    (
        "projects/catering",
        "The guests drink coffee at ten.",
        "I drink tea in the morning, not coffee",
    ),
    (
        "people/marta",
        "Marta eats peanuts every day.",
        "Petra eats soy, not peanuts",
    ),
    (
        "projects/optics",
        "The lens has R_V 1.0 at layer 27.",
        "the mirror is layer 12, not 27 mm",
    ),
    (
        "people/tom",
        "Tom plays chess on Wednesday.",
        "the meeting with Tom is on Monday, not Wednesday",
    ),
    (
        "projects/rooms",
        "Room 3 is at 19 degrees.",
        "room 4 is at 25 degrees, not 19",
    ),
    (
        "projects/bakery",
        "The bakery opens at 7.",
        "the choir starts at 8, not 7",
    ),
    (
        "projects/trip",
        "We went to Rome for Easter.",
        "we went over the plan for Easter, not the budget",
    ),
    (
        "people/bob",
        "Bob's desk is number 55.",
        "Ann's desk is number 57, not 55",
    ),
    (
        "projects/kueche",
        "Die Küche hat 44 Teller.",
        "Die Garage hat 40 Kisten, nicht 44",
    ),
    (
        "projects/cuisine",
        "La cuisine a 77 assiettes.",
        "le garage compte 70 cartons, pas 77",
    ),
    (
        "projects/kuhnya",
        "На кухне 99 тарелок.",
        "в гараже 90 коробок, а не 99",
    ),
)


class Seen(NamedTuple):
    """What became of facts, by their text."""

    facts: dict[str, Fact]
    in_tension: frozenset[str]  # ids

    def right(self, text: str) -> str:
        """Return what took the place of a statement; "" when nothing did."""
        by = self.facts[text].superseded_by
        return next((fact.text for fact in self.facts.values() if fact.id == by), "")


def tell(workspace: Workspace, told: Sequence[tuple[str, str]], project: str | None = None) -> None:
    """Say something in one conversation, of which a fact is made about an entity."""
    facts = [HandoffFact(entity=entity, fact=text, quote=text) for entity, text in told]

    def answer(command: Sequence[str], prompt: str, *_: object, **__: object) -> Ending:
        known = tuple(fact for fact in facts if fact.quote in prompt)
        handoff = Handoff(status=HandoffStatus.OK, summary="read", facts=known)
        return Ending(ENDED, render_handoff(handoff, "HB-EXTRACT"), "", 0)

    say(workspace, "told", [text for _, text in told], project=project)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(child_answer, "run_limited", answer)
        run_heartbeat(workspace, RunOptions(phases=("extraction",), agent_command=("some-agent",)))


def say(
    workspace: Workspace, session: str, texts: Sequence[str], *, speaker: str = "user", project: str | None = None
) -> None:
    turns = [{"id": f"{session}{place}", "text": text, "speaker": speaker} for place, text in enumerate(texts)]
    rows = [{"session": session, **turn} for turn in turns]
    of = {"project": project, "project_title": project} if project else {}
    workspace.submit("capture", {"session": session, "turns": rows, **of})


def read(workspace: Workspace) -> Seen:
    """Let the heartbeat read what was said, by its own rules."""
    with pytest.MonkeyPatch.context() as patched:
        answer_in_process(patched)
        (phase,) = run_heartbeat(workspace, RunOptions(phases=("extraction",))).phases
    assert phase.status in {"ok", "skipped"}, phase
    with workspace.reading() as database:
        facts = {fact.text: fact for fact in database.list_facts(FactFilter(status="all"))}
        sides = [tension.sides for tension in database.list_tensions()]
    return Seen(facts, frozenset().union(*sides))


@pytest.fixture(scope="module")
def put_right(tmp_path_factory: pytest.TempPathFactory) -> Seen:
    workspace = workspace_in(tmp_path_factory.mktemp("right"))
    tell(workspace, [(entity, said) for entity, said, *_ in PUT_RIGHT])
    say(workspace, "later", [later for _, _, later, _ in PUT_RIGHT])
    return read(workspace)


@pytest.fixture(scope="module")
def alike(tmp_path_factory: pytest.TempPathFactory) -> Seen:
    workspace = workspace_in(tmp_path_factory.mktemp("alike"))
    tell(workspace, [(entity, said) for entity, said, _ in ALIKE])
    say(workspace, "later", [later for *_, later in ALIKE])
    return read(workspace)


@for_each(("said", "right"), [(said, right) for _, said, _, right in PUT_RIGHT])
def test_what_was_called_wrong_gives_way_wherever_it_is_filed(put_right: Seen, said: str, right: str) -> None:
    assert put_right.facts[said].status == Status.SUPERSEDED
    assert right in put_right.right(said)


@for_each("said", [said for _, said, _ in ALIKE])
def test_what_only_sounds_alike_stays(alike: Seen, said: str) -> None:
    assert alike.facts[said].status == Status.ACTIVE


def test_of_two_facts_that_fit_neither_gives_way(workspace: Workspace) -> None:
    told = ("Petra is allergic to nuts.", "Marta is allergic to nuts.")
    tell(workspace, [("people/petra", told[0]), ("people/marta", told[1])])
    say(workspace, "later", ["it's soy they're allergic to, not nuts, I told you wrong"])

    assert [read(workspace).facts[text].status for text in told] == [Status.ACTIVE] * 2


def test_what_a_correction_does_not_mean_is_said_again(workspace: Workspace) -> None:
    told = "Tank 3 is at 15 °C, tank 4 at 22. The dry-down takes 21 days, rewetting is on 3 December."
    tell(workspace, [("projects/soil", told)])
    say(workspace, "later", ["correction: tank 4 is at 25 °C, not 22. I misread the display"])

    right = read(workspace).right(told)
    assert all(words in right for words in ("Tank 3 is at 15", "25", "21 days", "3 December"))
    assert "22" not in right


def test_what_has_changed_held_until_then(workspace: Workspace) -> None:
    tell(workspace, [("projects/garden", "We buy our compost from Hollis.")])
    say(workspace, "later", ["we've gone over to Brandt for compost"])

    assert not read(workspace).facts["We buy our compost from Hollis."].was_wrong


@pytest.mark.parametrize(
    ("speaker", "text"),
    [("assistant", "Otto's locker is number 241, not 214."), ("Ines", "Otto's locker is number 241, not 214.")],
)
def test_nobody_else_puts_right_what_the_person_said(workspace: Workspace, speaker: str, text: str) -> None:
    tell(workspace, [("people/otto", "Otto's locker is number 214.")])
    say(workspace, "later", [text], speaker=speaker)

    assert read(workspace).facts["Otto's locker is number 214."].status == Status.ACTIVE


def test_another_project_is_not_meant_unless_both_name_the_same(workspace: Workspace) -> None:
    told = ("The gateway listens on port 8080.", "The locker of Otto has number 214.")
    tell(workspace, [("projects/harbour", text) for text in told], project="projects/harbour")
    later = ["the gateway listens on port 8443, not 8080", "the locker of Otto has number 241, not 214"]
    say(workspace, "later", later, project="projects/garden")

    seen = read(workspace)
    assert seen.facts[told[0]].status == Status.ACTIVE
    assert seen.facts[told[1]].status == Status.SUPERSEDED
