"""What Mara Lind and her agents said in five weeks, invented. She works with Jonas Weber on three projects.

`parcels` tracks shipments, `tidewatch` warns of floods, `ledger` keeps her own books. In the fifth week she changes her
mind about some of what she said before.
"""

import datetime as dt
from typing import Final
from typing import NamedTuple

CLAUDE: Final = "claude-code"
CODEX: Final = "codex"
MONDAY: Final = dt.date(2026, 2, 2)  # of the first week
FIRST_WEEKS: Final = 4


class Talk(NamedTuple):
    """One conversation: what the person and the agent said in turn, the person first."""

    day: int  # after the first Monday
    program: str
    project: str  # name of its folder
    said: tuple[str, ...]


PAST: Final = (
    Talk(
        0,
        CLAUDE,
        "parcels",
        (
            "Hi! I'm Mara Lind, I'm the tech lead of parcels at Norrbyte. Have a look around, please.",
            "The repository holds a Go service and a small React front end. What shall I begin with?",
            "Parcels is a tracking service for shipments: carriers push events to it, shops read them over a REST API.",
            "Understood. I see the event handlers in internal/events.",
            "We decided to keep shipments in PostgreSQL 16, because the carriers' queries need joins.",
            "I will write the migrations for PostgreSQL then.",
            "I prefer small commits, one change each, with a message that says why.",
            "I will keep commits small.",
            "Always run make lint before you commit in this repository.",
            "I have noted that for this repository.",
        ),
    ),
    Talk(
        1,
        CODEX,
        "tidewatch",
        (
            "Tidewatch is a flood warning service for the harbour of Emden, written in Elixir.",
            "I see a Phoenix application with two supervisors.",
            "The gauge station sends one reading every 90 seconds, and the limit of its API is 500 requests per day.",
            "Then we should poll with care.",
            "We decided to store the readings in TimescaleDB.",
            "I have added the hypertable.",
            "Can you look at why the tests fail on the second run?",
            "The fixtures leave a row behind. I cleaned that up.",
        ),
    ),
    Talk(
        3,
        CLAUDE,
        "parcels",
        (
            "Jonas Weber is the product owner of parcels, he decides what ships.",
            "Good to know, I will word the release notes for him.",
            "Please answer me in English, even when I paste German logs.",
            "Sure.",
            "The DHL sandbox allows 250 calls per hour for parcels, more than that and we get blocked.",
            "I will add a rate limiter in front of the DHL client.",
            "Fix the flaky test in the webhook handler.",
            "It waited for a timer. It is deterministic now.",
        ),
    ),
    Talk(
        4,
        CODEX,
        "ledger",
        (
            "Ledger is my command line tool for double-entry bookkeeping, it's written in Rust.",
            "I see a workspace with three crates.",
            "We decided to store amounts as integers in cents, never as floats.",
            "I will change the Amount type.",
            "The tax adviser needs the annual export of ledger by 31 May 2026.",
            "I noted the date.",
        ),
    ),
    Talk(
        8,
        CLAUDE,
        "parcels",
        (
            "Lesson learned: the outage on Monday came from retries without jitter. Always add jitter in parcels.",
            "I added jitter to the retry policy.",
            "I promised Jonas to deliver the carrier dashboard by 20 March 2026.",
            "That leaves four weeks. I will plan it backwards from there.",
            "I like explanations short: first the answer, then the reason.",
            "Will do.",
        ),
    ),
    Talk(
        9,
        CODEX,
        "tidewatch",
        (
            "Never send real SMS from the test suite of tidewatch, use the fake gateway.",
            "The tests use the fake gateway now.",
            "We learned that the gauge reports negative values during maintenance, so tidewatch must drop them.",
            "I filter negative values before they are stored.",
            "The harbour office wants the pilot of tidewatch to go live on 15 April 2026.",
            "Fine, I put it into the plan.",
        ),
    ),
    Talk(
        11,
        CLAUDE,
        "parcels",
        (
            "Parcels is deployed with Nomad in the Frankfurt region, not with Kubernetes.",
            "I will look for the Nomad job files.",
            "We decided that the API of parcels stays on version 2 until all shops have moved.",
            "Then I keep the v2 routes.",
            "Never push to main in this repository, open a pull request instead.",
            "I will open pull requests.",
        ),
    ),
    Talk(
        16,
        CLAUDE,
        "ledger",
        (
            "Ledger imports statements from my bank as CAMT.053 files.",
            "I will write a parser for CAMT.053.",
            "I prefer property tests over example tests for ledger.",
            "I will use proptest.",
        ),
    ),
    Talk(
        17,
        CODEX,
        "parcels",
        (
            "The staging server of parcels is called heron and runs Debian 12.",
            "I can reach heron over ssh.",
            "Jonas Weber works from Lisbon and is off on Fridays.",
            "Then I will not plan reviews for Fridays.",
            "Write the release notes for 2.4 please.",
            "Done, they are in docs/releases/2.4.md.",
        ),
    ),
    Talk(
        22,
        CLAUDE,
        "parcels",
        (
            "Parcels 2.4 shipped today, the first release with the carrier dashboard API.",
            "Congratulations!",
            "We agreed with Jonas that response times above 300 ms count as a bug in parcels.",
            "I will add that to the alerts.",
        ),
    ),
    Talk(
        23,
        CODEX,
        "tidewatch",
        (
            "The alert threshold of tidewatch is 6.4 metres above chart datum.",
            "I set the threshold in config/runtime.exs.",
            "Refactor the parser, it is one long function.",
            "It is three functions now.",
        ),
    ),
)

CHANGES: Final = (
    Talk(
        28,
        CLAUDE,
        "parcels",
        (
            "Correction: the DHL sandbox allows 400 calls per hour for parcels now, no longer 250.",
            "I raised the limit of the client.",
            "We moved parcels from Nomad to Kubernetes, it is now deployed with Kubernetes.",
            "I will look for the manifests.",
        ),
    ),
    Talk(
        29,
        CODEX,
        "tidewatch",
        (
            "The alert threshold of tidewatch is now 6.1 metres above chart datum, not 6.4.",
            "Changed in config/runtime.exs.",
        ),
    ),
    Talk(
        31,
        CLAUDE,
        "parcels",
        (
            "We switched parcels from PostgreSQL 16 to PostgreSQL 17.",
            "The migrations still pass.",
            "The carrier dashboard is now due by 27 March 2026 instead of 20 March, Jonas agreed.",
            "I moved the plan by a week.",
        ),
    ),
)
