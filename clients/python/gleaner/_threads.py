from __future__ import annotations

import asyncio
import threading
from contextvars import copy_context
from typing import Any, AsyncIterator, Callable, Dict, Generic, Iterator, List, Optional, TypeVar

from ._download import Download
from ._listing import Item, Listing, Page
from ._pause import STOPPED

T = TypeVar("T")

_END: Any = object()


async def in_thread(act: Callable[[], T]) -> T:
    """The result of a blocking call. When the task is cancelled, the call's waits end too."""
    stopped = threading.Event()
    context = copy_context()
    context.run(STOPPED.set, stopped)
    try:
        return await asyncio.get_running_loop().run_in_executor(None, context.run, act)
    except asyncio.CancelledError:
        stopped.set()
        raise


async def iterate(values: Iterator[T]) -> AsyncIterator[T]:
    """The values of a blocking iterator. Ending the iteration ends it."""

    def step() -> Any:
        return next(values, _END)

    try:
        while True:
            value = await in_thread(step)
            if value is _END:
                return
            yield value
    finally:
        close: Optional[Callable[[], None]] = getattr(values, "close", None)
        if close is not None:
            try:
                close()
            except ValueError:
                # Its thread still runs, and ends by itself: the caller was cancelled.
                pass


class AsyncListing(Generic[Page, Item]):
    """A list: iterate its items over all pages, or read `pages()` or the `first()` one."""

    def __init__(self, listing: Listing[Page, Item]) -> None:
        self._listing = listing

    async def first(self) -> Page:
        """The first page."""
        return await in_thread(self._listing.first)

    def pages(self) -> AsyncIterator[Page]:
        """All pages. While a run goes on, it waits for those that come."""
        return iterate(self._listing.pages())

    async def __aiter__(self) -> AsyncIterator[Item]:
        # A page in one step, so that a thread is not asked for each item.
        async for page in self.pages():
            items: List[Item] = page[self._listing.name]  # type: ignore[index]
            for item in items:
                yield item


class AsyncDownload:
    """A streamed answer. Read it once, in one of these ways; `async with` closes it."""

    def __init__(self, download: Download) -> None:
        self._download = download
        self.content_type = download.content_type
        self.filename = download.filename

    def chunks(self) -> AsyncIterator[bytes]:
        """The answer's bytes. Ending the iteration ends the download."""
        return iterate(self._download.chunks())

    async def text(self) -> str:
        return await in_thread(self._download.text)

    def lines(self) -> AsyncIterator[str]:
        """Lines of text. CSV begins with the header."""
        return iterate(self._download.lines())

    def rows(self) -> AsyncIterator[Dict[str, Any]]:
        """Lines of NDJSON as values."""
        return iterate(self._download.rows())

    async def save(self, path: str) -> None:
        """Writes the answer to a file."""
        await in_thread(lambda: self._download.save(path))

    async def close(self) -> None:
        await in_thread(self._download.close)

    async def __aenter__(self) -> "AsyncDownload":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
