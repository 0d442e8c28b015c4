"""What `engram graph export` writes."""

import datetime as dt
from collections.abc import Sequence
from typing import Any

from engram.base.clock import local_day
from engram.operations.picture_file import save_picture
from engram.services.graph.entity_graph import EntityGraph
from engram.services.graph.entity_graph import GraphQuery
from engram.services.graph.entity_graph import entity_graph
from engram.services.graph.typed_relations import StatedRelation
from engram.services.graph.typed_relations import list_relations
from engram.services.pictures.bitmap import png_of
from engram.services.pictures.graph_formats import render_dot
from engram.services.pictures.graph_formats import render_graphml
from engram.services.pictures.graph_formats import render_json
from engram.services.pictures.graph_layout import most_joined
from engram.services.pictures.graph_page import render_graph_page
from engram.services.pictures.graph_picture import Caption
from engram.services.pictures.graph_picture import draw_graph
from engram.workspace import Workspace

_READ_BY_PROGRAMS = ("graphml", "json", "dot")  # which say how one entity stands to another, too


def export(workspace: Workspace, query: GraphQuery, file: str, form: str) -> dict[str, Any]:
    """Write a graph in one of the forms; return {"path", "format", "entities", "relations", "left_out"}.

    Raises UsageError when there is nothing that makes a PNG, RefusedError for a place that is taken.
    """
    with workspace.reading() as database:
        graph = entity_graph(database, query)
        relations = list_relations(database, query) if form in _READ_BY_PROGRAMS else []
    picked = most_joined(graph)
    is_picture = form in {"svg", "html", "png"}
    shown = picked.graph if is_picture else graph
    save_picture(file, _rendered(graph, relations, form, _caption(query)))
    counts = {"entities": len(shown.nodes), "relations": len(shown.edges)}
    return {"path": file, "format": form, **counts, "left_out": picked.left_out if is_picture else 0}


def _rendered(graph: EntityGraph, relations: Sequence[StatedRelation], form: str, caption: Caption) -> bytes:
    match form:
        case "graphml":
            return render_graphml(graph, relations)
        case "json":
            return render_json(graph, relations)
        case "dot":
            return render_dot(graph, relations)
        case "html":
            return render_graph_page(most_joined(graph), caption)
        case "svg":
            return draw_graph(most_joined(graph), caption)
        case _:
            return png_of(draw_graph(most_joined(graph), caption))


def _caption(query: GraphQuery) -> Caption:
    zone = query.moment.zone
    when = f"as of {_day(query.as_of or query.as_known or query.moment.now, zone)}"
    known = f", as known on {_day(query.as_known, zone)}" if query.as_known and query.as_of else ""
    return Caption("Who and what is known, and what joins them", f"{when}{known}")


def _day(at: dt.datetime, zone: dt.tzinfo) -> str:
    return local_day(at, zone).isoformat()
