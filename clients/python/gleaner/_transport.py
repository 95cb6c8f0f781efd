from __future__ import annotations

import json
import math
import os
import random
import time
import uuid
from typing import Any, Callable, Dict, Iterator, Mapping, Optional, Tuple, TypeVar, Union
from urllib.parse import quote, urlencode, urlsplit

from ._download import Download, lines_of
from ._errors import GleanerError, read_error, shorten, unexpected
from ._events import ServerEvent, read_events
from ._exchange import Body, Exchange, UploadFault
from ._listing import Listing
from ._multipart import Upload
from ._pause import pause
from ._route import UNSET, CallOptions, Facts, Route
from ._routes import ROUTES, VERSION
from ._wait import RecordOrId, Waiter, WaitOptions, id_of

T = TypeVar("T")
Values = Mapping[str, Any]

_DEFAULT_TIMEOUT = 150.0
_DEFAULT_RETRIES = 2
_FIRST_DELAY = 0.5
_MOST_DELAY = 8.0
#: A longer `Retry-After` ends the call, so that its caller decides.
_MOST_RETRY_AFTER = 60.0
#: The service sends a comment every 15 seconds, so a longer silence is a dead connection.
_MOST_SILENCE = 45.0


def given(values: Values) -> Dict[str, Any]:
    """The values that were not left out."""
    return {name: value for name, value in values.items() if value is not UNSET}


def _query_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)) and value and all(isinstance(one, str) for one in value):
        # Names in a query have commas between them; lists of objects are JSON.
        return ",".join(value)
    return value if isinstance(value, str) else json.dumps(value)


def _path(template: str, params: Tuple[Union[str, int], ...]) -> str:
    names = [part for part in template.split("/") if part.startswith("{")]
    values = dict(zip(names, params))
    parts = []
    for part in template.split("/"):
        if not part.startswith("{"):
            parts.append(part)
            continue
        value = values.get(part)
        # An empty one would be another address: `/v1/parsers/` instead of one parser.
        if value is None or value == "":
            raise TypeError(f"the argument for {part} in {template} is missing")
        text = quote(str(value), safe="")
        parts.append(text.replace(".", "%2E") if text in (".", "..") else text)
    return "/".join(parts)


def _retry_delay(route: Route, error: GleanerError, attempt: int) -> Optional[float]:
    """Seconds before the next attempt; None when there should be none."""
    wanted = error.retry_after
    if wanted is not None and wanted > _MOST_RETRY_AFTER:
        return None
    if error.status == 429:
        return wanted
    is_fault = error.status in (0, 408) or (error.status >= 500 and error.status != 501)
    # The service has tried the page again itself.
    is_of_page = error.status in (502, 504) and error.code != "unexpected answer"
    if not is_fault or is_of_page:
        return None
    is_repeatable = route.creates if route.method == "POST" else not route.is_metered
    # A 5xx of the service means that nothing was charged; a proxy's, or a lost connection, says nothing.
    is_of_service = error.status >= 500 and error.code != "unexpected answer"
    if not is_repeatable and not (route.method == "GET" and is_of_service):
        return None
    if wanted is not None:
        return wanted
    most: float = min(_MOST_DELAY, _FIRST_DELAY * 2**attempt)
    return most / 2 + random.random() * most / 2


def _facts(exchange: Exchange) -> Facts:
    def number(name: str) -> Optional[int]:
        value = exchange.headers.get(name)
        return None if value is None else int(value)

    return Facts(
        exchange.status,
        exchange.headers.get("x-request-id"),
        number("x-credits-used"),
        number("x-credits-remaining"),
        exchange.headers.get("x-fetched-by"),
        exchange.headers.get("idempotent-replay") == "true",
    )


def _read_json(exchange: Exchange) -> Any:
    text = exchange.text()
    try:
        return json.loads(text)
    except ValueError as error:
        raise unexpected(exchange.status, f"the answer is not JSON: {shorten(text, 100)}") from error


def _read_empty(exchange: Exchange) -> None:
    text = exchange.text()
    if exchange.status != 204:
        raise unexpected(exchange.status, f"the answer is not empty: {shorten(text, 100)}")


def _read_any(exchange: Exchange) -> Any:
    if exchange.status != 204:
        return _read_json(exchange)
    exchange.close()
    return None


def _read_stream(exchange: Exchange) -> Exchange:
    if exchange.headers.get("content-type", "").lower().startswith("text/html"):
        raise unexpected(exchange.status, f"the answer is a page: {shorten(exchange.text(), 100)}")
    return exchange


class Transport:
    """Sends calls to one address, and tries again what can't happen twice."""

    def __init__(
        self,
        base_url: Optional[str] = None,
        api_key: Optional[str] = None,
        *,
        retries: int = _DEFAULT_RETRIES,
        timeout: Optional[float] = _DEFAULT_TIMEOUT,
        headers: Optional[Mapping[str, str]] = None,
        on_wait: Optional[Callable[[GleanerError, float], None]] = None,
    ) -> None:
        url = base_url or os.environ.get("GLEANER_URL") or "http://127.0.0.1:3000"
        base = urlsplit(url.rstrip("/"))
        if base.scheme not in ("http", "https") or not base.hostname or base.query or base.fragment or base.username:
            raise TypeError(f"base_url is no address of a service: {url!r}")
        self._base = base
        self._api_key = api_key or os.environ.get("GLEANER_API_KEY")
        self._retries = retries
        self._timeout = timeout
        self._headers = dict(headers or {})
        self._on_wait = on_wait

    def __repr__(self) -> str:
        return f"{self._base.scheme}://{self._base.netloc}{self._base.path}"

    def _attempt(
        self,
        route: Route,
        path: str,
        headers: Mapping[str, str],
        body: Union[Body, Upload],
        ends_at: float,
        read: Callable[[Exchange], T],
        options: CallOptions,
    ) -> T:
        exchange = Exchange(self._base, route.method, path, headers, body, ends_at)
        try:
            if not 200 <= exchange.status < 300:
                raise read_error(exchange.status, exchange.headers, exchange.text())
            result = read(exchange)
        except BaseException:
            exchange.close()
            raise
        on_answer = options.get("on_answer")
        if on_answer is not None:
            on_answer(_facts(exchange))
        return result

    def _send(
        self,
        route: Route,
        params: Tuple[Union[str, int], ...],
        query: Values,
        body: Union[Dict[str, Any], Upload, None],
        options: Optional[CallOptions],
        read: Callable[[Exchange], T],
        ends_at: float = math.inf,
    ) -> T:
        """@param ends_at the time at which all attempts end"""
        own = options or {}
        pairs = {name: _query_text(value) for name, value in given(query).items() if value is not None}
        path = self._base.path + _path(route.path, params) + (f"?{urlencode(pairs)}" if pairs else "")
        headers: Dict[str, str] = {"user-agent": f"gleaner-python/{VERSION}", "accept-encoding": "identity"}
        headers.update(self._headers)
        if self._api_key is not None:
            headers["x-api-key"] = self._api_key
        if route.creates:
            # The same for all attempts of the call.
            headers["idempotency-key"] = own.get("idempotency_key") or str(uuid.uuid4())
        retries = own.get("retries", self._retries)
        timeout = own.get("timeout", self._timeout)
        sent: Union[Body, Upload] = None
        if isinstance(body, Upload):
            headers["content-type"] = body.content_type
            timeout = own.get("timeout")
            retries = retries if body.is_repeatable else 0
            sent = body
        elif body is not None:
            headers["content-type"] = "application/json"
            sent = json.dumps(body, allow_nan=False).encode()
        headers.update(own.get("headers", {}))
        attempt = 0
        while True:
            limit = math.inf if timeout is None else time.monotonic() + timeout
            try:
                return self._attempt(route, path, headers, sent, min(limit, ends_at), read, own)
            except UploadFault as fault:
                assert fault.__cause__ is not None
                raise fault.__cause__
            except GleanerError as error:
                is_last = attempt >= retries or time.monotonic() >= ends_at
                delay = None if is_last else _retry_delay(route, error, attempt)
                if delay is None:
                    raise
                if self._on_wait is not None:
                    self._on_wait(error, delay)
            pause(delay, ends_at)
            attempt += 1

    def call(
        self,
        id: str,
        params: Tuple[Union[str, int], ...] = (),
        query: Optional[Values] = None,
        body: Optional[Values] = None,
        options: Optional[CallOptions] = None,
    ) -> Any:
        """Calls an operation by its id, for code that is generic. Pages are single; streams have methods alone."""
        route = ROUTES.get(id)
        if route is None:
            raise TypeError(f"there is no operation {id}")
        sent = None if body is None else given(body)
        return self._send(route, params, query or {}, sent, options, _read_any)

    def json(
        self,
        id: str,
        params: Tuple[Union[str, int], ...],
        query: Values,
        body: Optional[Values],
        options: Optional[CallOptions],
        files: Tuple[str, ...] = (),
    ) -> Any:
        """@param files the parts of a form that are files; without one the body is JSON"""
        sent = None if body is None else given(body)
        form = Upload(sent, files) if files and sent is not None else sent
        return self._send(ROUTES[id], params, query, form, options, _read_json)

    def empty(
        self,
        id: str,
        params: Tuple[Union[str, int], ...],
        query: Values,
        body: Optional[Values],
        options: Optional[CallOptions],
    ) -> None:
        self._send(ROUTES[id], params, query, None if body is None else given(body), options, _read_empty)

    def list(
        self,
        id: str,
        params: Tuple[Union[str, int], ...],
        query: Values,
        body: Optional[Values],
        options: Optional[CallOptions],
    ) -> Listing[Any, Any]:
        route = ROUTES[id]

        def read(cursor: Optional[str]) -> Any:
            paged = query if cursor is None else {**query, "cursor": cursor}
            return self._send(route, params, paged, None if body is None else given(body), options, _read_json)

        return Listing(read, route.list_name or "")

    def stream(
        self,
        id: str,
        params: Tuple[Union[str, int], ...],
        query: Values,
        body: Optional[Values],
        options: Optional[CallOptions],
    ) -> Download:
        sent = None if body is None else given(body)
        exchange = self._send(ROUTES[id], params, query, sent, options, _read_stream)
        exchange.lift()
        return Download(exchange)

    def _events(
        self,
        route: Route,
        params: Tuple[Union[str, int], ...],
        query: Values,
        options: Optional[CallOptions],
        ends_at: float = math.inf,
    ) -> Iterator[ServerEvent[Any]]:
        exchange = self._send(route, params, query, None, options, _read_stream, ends_at)
        try:
            exchange.lift(_MOST_SILENCE, ends_at)
            yield from read_events(lines_of(exchange.chunks()))
        finally:
            exchange.close()

    def events(
        self,
        id: str,
        params: Tuple[Union[str, int], ...],
        query: Values,
        body: Optional[Values],
        options: Optional[CallOptions],
    ) -> Iterator[ServerEvent[Any]]:
        return self._events(ROUTES[id], params, query, options)

    def wait_for(self, id: str, record: RecordOrId, options: Optional[WaitOptions]) -> Any:
        route = ROUTES[id]
        params = (id_of(record),)
        events = route.events
        own = options or {}
        ends_at = time.monotonic() + own.get("timeout", math.inf)

        def watch(last_event: Optional[str]) -> Iterator[ServerEvent[Any]]:
            headers = {} if last_event is None else {"last-event-id": last_event}
            # The wait goes on after a failure.
            once: CallOptions = {"retries": 0, "headers": headers}
            return self._events(Route("GET", events or ""), params, {}, once, ends_at)

        def read() -> Any:
            return self._send(route, params, {}, None, None, _read_json, ends_at)

        return Waiter(read, watch if events is not None else None, own, ends_at).wait()

    def api(self, name: str, body: Values, options: Optional[CallOptions]) -> Any:
        """Calls a prebuilt API."""
        return self._send(
            Route("POST", "/v1/{id}", is_metered=True), (name,), {}, given(body), options, _read_json
        )
