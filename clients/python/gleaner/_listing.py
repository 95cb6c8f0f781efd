from __future__ import annotations

from typing import Any, Callable, Generic, Iterator, List, Mapping, Optional, TypeVar, cast

from ._pause import pause

Page = TypeVar("Page")
Item = TypeVar("Item")

#: Waits before a page without new items is asked for again, for results of a batch that runs.
_FIRST_PAUSE = 0.5
_MOST_PAUSE = 5.0


def _cursor_of(page: Mapping[str, Any]) -> Optional[str]:
    pagination = page.get("pagination")
    cursor = pagination.get("cursor") if isinstance(pagination, dict) else page.get("cursor")
    return cast(Optional[str], cursor)


class Listing(Generic[Page, Item]):
    """A list: iterate its items over all pages, or read `pages()` or the `first()` one."""

    def __init__(self, read: Callable[[Optional[str]], Any], name: str) -> None:
        self._read = read
        self.name = name

    def first(self) -> Page:
        """The first page."""
        return cast(Page, self._read(None))

    def pages(self) -> Iterator[Page]:
        """All pages. While a run goes on, it waits for those that come."""
        page = self._read(None)
        delay = _FIRST_PAUSE
        while True:
            items: List[Any] = page.get(self.name, [])
            cursor = _cursor_of(page)
            if items or cursor is None:
                yield cast(Page, page)
            if cursor is None:
                return
            if not items:
                pause(delay)
            delay = _FIRST_PAUSE if items else min(_MOST_PAUSE, delay * 2)
            page = self._read(cursor)

    def __iter__(self) -> Iterator[Item]:
        for page in self.pages():
            yield from cast(Any, page)[self.name]
