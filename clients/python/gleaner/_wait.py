from __future__ import annotations

import time
from typing import Any, Callable, Dict, Iterator, Mapping, Optional, TypedDict, Union

from ._errors import GleanerError
from ._events import ServerEvent
from ._pause import pause
from ._routes import UNFINISHED_STATES

RecordOrId = Union[str, Mapping[str, Any]]

_FIRST_POLL = 0.5
_DEFAULT_POLL = 5.0
#: Proxies can block events. After this many streams without one, the record is read again and again.
_MOST_EMPTY_STREAMS = 2
#: The wait ends when the service is unavailable for longer.
_MOST_FAILING = 300.0


class WaitOptions(TypedDict, total=False):
    """How the end of work is waited for."""

    #: Seconds until `timed out`. The work goes on.
    timeout: float
    #: Called with the record at first and after each change.
    on_progress: Callable[[Any], None]
    #: Called when the service gives no answer. What it raises ends the waiting.
    on_trouble: Callable[[GleanerError], None]
    #: The longest time between two reads of the record. Default 5 s.
    poll: float


def id_of(record: RecordOrId) -> str:
    """The id of a record, or the given id."""
    found = record if isinstance(record, str) else record.get("id")
    if isinstance(found, str) and found != "":
        return found
    raise GleanerError(0, "invalid request", detail="the record has no id")


def _can_pass(error: GleanerError) -> bool:
    return error.status == 0 or error.status == 429 or error.status >= 500


class Waiter:
    """Follows a record until it has ended: by events if they arrive, else by reading it again."""

    def __init__(
        self,
        read: Callable[[], Any],
        watch: Optional[Callable[[Optional[str]], Iterator[ServerEvent[Any]]]],
        options: WaitOptions,
        ends_at: float,
    ) -> None:
        """@param ends_at the time at which the wait ends; what reads and watches ends then too"""
        self._read = read
        self._watch = watch
        self._options = options
        self._poll = options.get("poll", _DEFAULT_POLL)
        self._delay = min(self._poll, _FIRST_POLL)
        self._known: Optional[Dict[str, Any]] = None
        self._last_event: Optional[str] = None
        self._failing_since: Optional[float] = None
        self._ends_at = ends_at

    def wait(self) -> Any:
        empty_streams = 0
        while True:
            if self._watch is not None and empty_streams < _MOST_EMPTY_STREAMS:
                before = self._last_event
                ended = self._attempt(self._follow)
                if ended is not None:
                    return ended
                empty_streams = empty_streams + 1 if self._last_event == before else 0
            ended = self._attempt(self._look)
            if ended is not None:
                return ended
            self._check_time()
            pause(self._delay, self._ends_at)
            self._delay = min(self._poll, self._delay * 1.5)

    def _check_time(self) -> None:
        if time.monotonic() >= self._ends_at:
            raise GleanerError(0, "timed out", detail="the work has not ended within the given time; it goes on")

    def _attempt(self, act: Callable[[], Any]) -> Any:
        try:
            return act()
        except GleanerError as error:
            self._check_time()
            now = time.monotonic()
            if self._failing_since is None:
                self._failing_since = now
            if not _can_pass(error) or now - self._failing_since > _MOST_FAILING:
                raise
            trouble = self._options.get("on_trouble")
            if trouble is not None:
                trouble(error)
            return None

    def _look(self) -> Any:
        return self._report(self._read())

    def _follow(self) -> Any:
        assert self._watch is not None
        for event in self._watch(self._last_event):
            self._last_event = event.id
            ended = self._report(event.data)
            if ended is not None:
                return ended
            self._check_time()
        return None

    def _report(self, record: Dict[str, Any]) -> Optional[Dict[str, Any]]:
        self._failing_since = None
        if record != self._known:
            self._delay = min(self._poll, _FIRST_POLL)
            progress = self._options.get("on_progress")
            if progress is not None:
                progress(record)
        self._known = record
        return None if record["status"] in UNFINISHED_STATES else record
