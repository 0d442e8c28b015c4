"""What Mara Lind and her agents said in the week after she had set Engram up, invented: corrections on each day."""

from typing import Final

from tests.newcomer.talks import CLAUDE
from tests.newcomer.talks import CODEX
from tests.newcomer.talks import Talk

WEEK: Final = (
    Talk(
        28,
        CLAUDE,
        "parcels",
        (
            "Correction: the DHL sandbox allows 400 calls per hour for parcels now, no longer 250.",
            "I raised the limit of the client.",
            "Please run the tests of the DHL client once more.",
            "They pass.",
        ),
    ),
    Talk(
        29,
        CODEX,
        "tidewatch",
        (
            "The alert threshold of tidewatch is now 6.1 metres above chart datum, not 6.4.",
            "Changed in config/runtime.exs.",
            "The gauge station was replaced: it sends one reading every 30 seconds now instead of every 90 seconds.",
            "Then we poll three times as often.",
        ),
    ),
    Talk(
        30,
        CLAUDE,
        "ledger",
        (
            "My bank has changed: ledger now imports statements as OFX files, no longer as CAMT.053 files.",
            "I will write a parser for OFX.",
            "Thanks, that looks good.",
            "You are welcome.",
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
    Talk(
        32,
        CODEX,
        "parcels",
        (
            "The staging server of parcels is now called osprey, no longer heron.",
            "I changed the ssh configuration.",
            "We moved parcels from Nomad to Kubernetes, it is now deployed with Kubernetes.",
            "I will look for the manifests.",
        ),
    ),
    Talk(
        33,
        CODEX,
        "tidewatch",
        (
            "The pilot of tidewatch goes live on 6 May 2026, not on 15 April.",
            "I moved it in the plan.",
        ),
    ),
    Talk(
        34,
        CLAUDE,
        "parcels",
        (
            "Jonas Weber moved: he works from Porto now, no longer from Lisbon.",
            "Noted.",
            "Can you tidy up the webhook handler?",
            "It is two functions now.",
        ),
    ),
)
