"""What the English signal rules find, by category, and what they leave alone."""

from engram.language.signal.detector import HIGH
from engram.language.signal.detector import NONE
from engram.language.signal.detector import detect
from tests.cases import for_each


def high_categories(text: str) -> list[str]:
    result = detect(text)
    return result.categories if result.signal == HIGH else []


@for_each(
    ("text", "category"),
    [
        ("I'd rather keep my meetings before noon", "preference"),
        ("I've always preferred window seats", "preference"),
        ("My go-to language for scripting is Python", "preference"),
        ("Spicy food doesn't agree with me", "preference"),
        ("What I like most is working alone in the evening", "preference"),
        ("I'm more comfortable with Postgres than with MySQL", "preference"),
        ("I can't concentrate with music on", "preference"),
        ("Chosen option: PostgreSQL, because it supports JSON natively", "decision"),
        ("Status: accepted", "decision"),
        ("The team agreed to freeze the schema until March", "decision"),
        ("After some debate we went with Kubernetes", "decision"),
        ("Both teams have agreed to share one backlog", "decision"),
        ("We're dropping support for Internet Explorer", "decision"),
        ("The kickoff is moved to Thursday", "decision"),
        ("Going forward we use trunk-based development", "decision"),
        ("All endpoints will be versioned in the URL", "decision"),
        ("You've got it backwards: the client sends the token first", "correction"),
        ("Not staging, production", "correction"),
        ("The right version is 2.4, not 2.3", "correction"),
        ("I gave you the wrong number, it's 555-0199", "correction"),
        ("We hit one million downloads", "milestone"),
        ("Our paper got accepted last week", "milestone"),
        ("I became a grandfather", "milestone"),
        ("The app is now available in the store", "milestone"),
        ("Whenever I paste an error, explain it before fixing it", "instruction"),
        ("Ask me before you delete anything", "instruction"),
        ("Keep your replies under five lines", "instruction"),
        ("If you are unsure, ask me first", "instruction"),
        ("Your new name is Hugo", "instruction"),
        ("I've been a nurse for ten years", "identity"),
        ("As a product manager, I write specs", "identity"),
        ("Hi, I'm Bernard", "identity"),
        ("I have type 1 diabetes", "identity"),
        ("Anna is my manager", "relationship"),
        ("My wife is called Olga", "relationship"),
        ("She leads the infrastructure team", "relationship"),
        ("Kate reports to John", "relationship"),
        ("Sam is Julia's brother", "relationship"),
        ("Ivan is a colleague of mine", "relationship"),
        ("My boss is Greta", "relationship"),
        ("I'll send the report by Friday", "commitment"),
        ("I promise to call my mother every week", "commitment"),
        ("We have to deliver the prototype before May 5", "commitment"),
        ("The report is due on the 12th", "commitment"),
        ("We owe the client an answer", "commitment"),
        ("I'll send Vera the signed contract", "commitment"),
    ],
)
def test_a_statement_of_a_category_is_high(text: str, category: str) -> None:
    assert high_categories(text) == [category]


@for_each(
    "text",
    [
        "I'll be back",
        "See you tomorrow",
        "I'll call you later today",
        "I'd love to",
        "I prefer not to say",
        "We decided whether to stay later",
        "We haven't decided yet",
        "We agreed to disagree",
        "We might adopt Rust",
        "Maybe we should use Redis",
        "We used to drink coffee here",
        "The question is whether we adopt it",
        "Tell me what we decided about the logo",
        "Who decided to use Oracle",
        "Is Anna my manager",
        "People say they prefer tabs",
        "Rumor has it we adopted Rust",
        "According to the manual, you should always close the file",
        "I heard that we adopted Rust",
        "I'll start by reading the parser",
        "As an AI, I prefer clear questions",
        "Run the tests",
        "Open the file and show me the first ten lines",
        "Make sure bread is on my shopping list",
        "Remember to play the next song",
        "When you have time, call me",
        "Use a for loop instead",
        "Make sure you take care",
        "Remember, it's never too late",
        "We'll have a great time!",
        "I love how you explained that",
        "That's not what I meant",
        "Not only that, but it was fun",
        "You are my best friend",
        "My boss is angry",
        "We are friends",
        "It leads to errors",
        "The deadline is killing me",
        "I promise you will love it",
        "I committed to main",
        "Our request was cancelled by the server",
        "I'm going to grab a coffee",
        "Hi, I'm bored",
        "They decided to leave, she told me",
        "When we decided to move, we had no money",
        "We'll be there soon",
        "She picked a card",
        "I like how this works",
        "I hate to bother you",
        "My brother is sleeping",
        "The bus is due in five minutes",
        "I finished eating",
    ],
)
def test_idioms_questions_hearsay_and_orders_of_the_moment_are_not_high(text: str) -> None:
    assert detect(text).signal != HIGH


@for_each(
    "text",
    [
        "Good morning!",
        "Thanks a lot",
        "no worries",
        "uh huh",
        "haha, that's great",
        "I want to know how you feel",
        "I need to thank you",
        "I'm doing well",
        "I did, too",
    ],
)
def test_small_talk_is_none(text: str) -> None:
    assert detect(text).signal == NONE


@for_each("start", ["Do you think", "Can you tell me whether", "I wonder if", "Anna says", "Suppose"])
@for_each(
    "statement",
    ["I prefer tea", "we decided to rent a larger office", "Anna is my manager", "I'll send the report by Friday"],
)
def test_a_statement_that_is_asked_supposed_or_reported_is_not_high(start: str, statement: str) -> None:
    assert detect(f"{start} {statement}").signal != HIGH
    assert detect(statement).signal == HIGH


@for_each("subject", ["I", "We", "They", "She", "The team", "Our new board", "Nora and Tim"])
@for_each("verb", ["decided to", "agreed to", "have decided to", "opted to"])
def test_a_decision_may_have_any_subject(subject: str, verb: str) -> None:
    verb = verb.replace("have", "has") if subject in {"She", "The team", "Our new board"} else verb

    assert high_categories(f"{subject} {verb} close the office") == ["decision"]


@for_each("when", ["by Friday", "tomorrow morning", "before the end of the month", "on May 5", "next week"])
@for_each("start", ["I'll", "We will", "I'm going to"])
def test_what_one_will_do_counts_with_its_time(start: str, when: str) -> None:
    assert high_categories(f"{start} finish the slides {when}") == ["commitment"]
    assert detect(f"{start} finish the slides").signal != HIGH
