from __future__ import annotations

import codecs
import json
import re
from types import TracebackType
from typing import Any, Dict, Iterator, Optional, Type

from ._exchange import Exchange


def lines_of(chunks: Iterator[bytes]) -> Iterator[str]:
    """Lines of UTF-8 without their ends."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    rest = ""
    for chunk in chunks:
        lines = (rest + decoder.decode(chunk)).split("\n")
        rest = lines.pop()
        for line in lines:
            yield line[:-1] if line.endswith("\r") else line
    rest += decoder.decode(b"", True)
    if rest:
        yield rest


class Download:
    """A streamed answer. Read it once, in one of these ways; `with` closes it."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange
        self.content_type = exchange.headers.get("content-type", "")
        found = re.search(r'filename="([^"]*)"', exchange.headers.get("content-disposition", ""))
        self.filename: Optional[str] = found.group(1) if found else None

    def chunks(self) -> Iterator[bytes]:
        """The answer's bytes. Ending the iteration ends the download."""
        try:
            yield from self._exchange.chunks()
        finally:
            self.close()

    def text(self) -> str:
        return b"".join(self.chunks()).decode("utf-8", "replace")

    def lines(self) -> Iterator[str]:
        """Lines of text. CSV begins with the header."""
        return lines_of(self.chunks())

    def rows(self) -> Iterator[Dict[str, Any]]:
        """Lines of NDJSON as values."""
        for line in self.lines():
            if line:
                yield json.loads(line)

    def save(self, path: str) -> None:
        """Writes the answer to a file."""
        with open(path, "wb") as file:
            for chunk in self.chunks():
                file.write(chunk)

    def close(self) -> None:
        self._exchange.close()

    def __enter__(self) -> "Download":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()
