from __future__ import annotations

from typing import AsyncIterator, Iterator, Optional, Union

from . import types as t
from ._operations import Databases
from ._route import UNSET, CallOptions, Unset
from ._threads import iterate

#: Seconds for which the service waits for a change, the most it takes.
_WAIT = 30


class Changes:
    """The changes of a table, oldest first. `cursor` is where to go on: after the pages that were read to their end."""

    def __init__(
        self,
        databases: Databases,
        database: str,
        table: str,
        *,
        after: Optional[str],
        follow: bool,
        kinds: Union[str, Unset],
        options: Optional[CallOptions],
    ) -> None:
        self._databases = databases
        self._place = (database, table)
        self._first = after
        self._follow = follow
        self._kinds = kinds
        self._options = options
        self.cursor: Optional[str] = None if after == "now" else after

    def __iter__(self) -> Iterator[t.Change]:
        after = self.cursor or self._first
        while True:
            page = self._databases.changes(
                *self._place,
                after=UNSET if after is None else after,
                kinds=self._kinds,
                wait=_WAIT if self._follow else UNSET,
                options=self._options,
            )
            yield from page["changes"]
            self.cursor = page["cursor"]
            # An empty page may have passed over changes of other kinds.
            if not self._follow and not page["changes"] and self.cursor == after:
                return
            after = self.cursor


class AsyncChanges:
    """The same for asyncio."""

    def __init__(self, changes: Changes) -> None:
        self._changes = changes

    @property
    def cursor(self) -> Optional[str]:
        return self._changes.cursor

    def __aiter__(self) -> AsyncIterator[t.Change]:
        return iterate(iter(self._changes))


class Table:
    """A table of a database."""

    def __init__(self, databases: Databases, database: str, table: str) -> None:
        self._databases = databases
        self._place = (database, table)

    def changes(
        self,
        after: Optional[str] = None,
        *,
        follow: bool = False,
        kinds: Union[str, Unset] = UNSET,
        options: Optional[CallOptions] = None,
    ) -> Changes:
        """
        What changed after a cursor, until the feed's end, or with `follow` for as long as it is iterated.

        @param after a cursor, or `now`; without it the oldest change that is kept is the first
        @param kinds such as `new,changed`
        Raises `GleanerError` with the status 410 when the changes after the cursor are kept no more.
        """
        return Changes(self._databases, *self._place, after=after, follow=follow, kinds=kinds, options=options)


class AsyncTable:
    """A table of a database, for asyncio."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def changes(
        self,
        after: Optional[str] = None,
        *,
        follow: bool = False,
        kinds: Union[str, Unset] = UNSET,
        options: Optional[CallOptions] = None,
    ) -> AsyncChanges:
        """As `Table.changes`."""
        return AsyncChanges(self._table.changes(after, follow=follow, kinds=kinds, options=options))
