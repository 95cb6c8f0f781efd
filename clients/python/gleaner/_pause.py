from __future__ import annotations

import math
import threading
import time
from contextvars import ContextVar
from typing import Optional

#: Set when nobody waits for the call of this context any more: its task was cancelled.
STOPPED: ContextVar[Optional[threading.Event]] = ContextVar("STOPPED", default=None)


class Stopped(BaseException):
    """Ends a call whose caller has gone."""


def check() -> None:
    """Ends the call when its caller has gone."""
    event = STOPPED.get()
    if event is not None and event.is_set():
        raise Stopped


def pause(seconds: float, ends_at: float = math.inf) -> None:
    """Waits, at most until a time, or ends early when the caller has gone."""
    seconds = max(0.0, min(seconds, ends_at - time.monotonic()))
    event = STOPPED.get()
    if event is None:
        time.sleep(seconds)
    elif event.wait(seconds):
        raise Stopped
