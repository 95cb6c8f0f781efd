from __future__ import annotations

import json
import time
from email.utils import parsedate_to_datetime
from typing import Any, Dict, Mapping, Optional


class GleanerError(Exception):
    """A failed call."""

    #: HTTP status; 0 without an answer.
    status: int
    #: The stable text of the answer's `error`; docs/use/errors.md lists all. The client's own: `no answer`,
    #: `timed out`, `unexpected answer`, `invalid webhook`.
    code: str
    #: The invalid part of the request.
    field: Optional[str]
    #: What happened.
    detail: Optional[str]
    #: How to repair it.
    hint: Optional[str]
    #: Identifies the request in the service's log.
    request_id: Optional[str]
    retry_after: Optional[float]
    #: Numbers of the special shapes: `required`, `available`, `pending`, `limit`, `accepted`.
    numbers: Dict[str, float]

    def __init__(
        self,
        status: int,
        code: str,
        *,
        field: Optional[str] = None,
        detail: Optional[str] = None,
        hint: Optional[str] = None,
        request_id: Optional[str] = None,
        retry_after: Optional[float] = None,
        numbers: Optional[Dict[str, float]] = None,
    ) -> None:
        where = "" if field is None else f"{field}: "
        super().__init__(f"{where}{code}" if detail is None else f"{code}: {where}{detail}")
        self.status = status
        self.code = code
        self.field = field
        self.detail = detail
        self.hint = hint
        self.request_id = request_id
        self.retry_after = retry_after
        self.numbers = numbers or {}


def shorten(text: str, length: int) -> str:
    """The beginning of a text on one line."""
    return " ".join(text.split())[:length]


def unexpected(status: int, detail: str) -> GleanerError:
    return GleanerError(status, "unexpected answer", detail=detail)


def _retry_after(header: Optional[str]) -> Optional[float]:
    if header is None or header.strip() == "":
        return None
    try:
        return max(0.0, float(header))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - time.time())
    except (TypeError, ValueError):
        return None


def _text(value: Any) -> Optional[str]:
    return value if isinstance(value, str) else None


def _describe_stranger(status: int, headers: Mapping[str, str], body: str) -> str:
    location = headers.get("location")
    if 300 <= status < 400 and location is not None:
        return f"it redirects to {location}, and a key goes only to the address that was given"
    return f"HTTP {status} {shorten(body, 200)}".strip()


def read_error(status: int, headers: Mapping[str, str], body: str) -> GleanerError:
    """The error of an answer. One that is not of the service has the code `unexpected answer`."""
    try:
        parsed = json.loads(body)
    except ValueError:
        parsed = None
    members: Dict[str, Any] = parsed if isinstance(parsed, dict) else {}
    code = _text(members.get("error"))
    return GleanerError(
        status,
        code or "unexpected answer",
        field=_text(members.get("field")),
        detail=_describe_stranger(status, headers, body) if code is None else _text(members.get("detail")),
        hint=_text(members.get("hint")),
        request_id=headers.get("x-request-id"),
        retry_after=_retry_after(headers.get("retry-after")),
        numbers={
            name: value
            for name, value in members.items()
            if isinstance(value, (int, float)) and not isinstance(value, bool)
        },
    )
