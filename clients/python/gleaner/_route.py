from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Callable, Literal, Mapping, Optional, TypedDict


class _Unset(Enum):
    UNSET = "unset"

    def __repr__(self) -> str:
        return "UNSET"


#: The value of a keyword that was left out. ``None`` is sent as null.
UNSET: Literal[_Unset.UNSET] = _Unset.UNSET
Unset = Literal[_Unset.UNSET]


@dataclass(frozen=True)
class Route:
    """Where an operation is, and what may be repeated."""

    method: str
    path: str
    #: The service honours an Idempotency-Key.
    creates: bool = False
    is_metered: bool = False
    #: The list that its answer pages through.
    list_name: Optional[str] = None
    #: The path of the events that follow its record.
    events: Optional[str] = None


@dataclass(frozen=True)
class Facts:
    """Details of an answer, without its data."""

    status: int
    #: Identifies the request in the service's log.
    request_id: Optional[str]
    #: Credits that the call used; None when the operation costs none.
    credits_used: Optional[int]
    #: The balance after it.
    credits_remaining: Optional[int]
    #: The way by which the page of a scrape was read: `http`, `browser`, `http:highquality`, …
    fetched_by: Optional[str]
    #: Whether it is the answer to an earlier call with the same Idempotency-Key.
    is_replay: bool


class CallOptions(TypedDict, total=False):
    """How one call is sent."""

    #: Seconds for one attempt: for the whole answer, or until a stream begins.
    timeout: Optional[float]
    #: Further attempts after a temporary failure.
    retries: int
    headers: Mapping[str, str]
    #: Within 24 hours, the same key with the same body creates nothing more. By default each call has its own.
    idempotency_key: str
    #: Called with the details of the answer.
    on_answer: Callable[[Facts], None]
