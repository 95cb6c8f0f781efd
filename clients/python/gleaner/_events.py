from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Generic, Iterator, List, Optional, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class ServerEvent(Generic[T]):
    """One event of a stream."""

    #: Identifies the state; sent as `Last-Event-ID`, the stream goes on from there.
    id: Optional[str]
    event: str
    data: T


def read_events(lines: Iterator[str]) -> Iterator[ServerEvent[Any]]:
    """Events of lines of `text/event-stream`. An event without its empty line at the end is none."""
    last_id: Optional[str] = None
    event = ""
    data: List[str] = []
    for line in lines:
        if line == "":
            if data:
                yield ServerEvent(last_id, event or "message", json.loads("\n".join(data)))
            event, data = "", []
            continue
        name, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name == "data":
            data.append(value)
        elif name == "event":
            event = value
        elif name == "id" and "\0" not in value:
            last_id = value
