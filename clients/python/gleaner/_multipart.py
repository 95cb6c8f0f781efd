from __future__ import annotations

import json
import re
import uuid
from dataclasses import dataclass
from typing import IO, Any, Iterable, Iterator, List, Mapping, Optional, Tuple, Union

FileContent = Union[str, bytes, IO[bytes], Iterable[Union[str, bytes]]]


@dataclass(frozen=True)
class File:
    """A file to upload, with a name and a type."""

    content: FileContent
    filename: Optional[str] = None
    content_type: str = "application/octet-stream"


FileInput = Union[File, FileContent]

_CHUNK_BYTES = 65_536


def _chunks(content: FileContent) -> Iterator[bytes]:
    if isinstance(content, str):
        yield content.encode()
    elif isinstance(content, (bytes, bytearray, memoryview)):
        yield bytes(content)
    elif hasattr(content, "read"):
        while True:
            chunk = content.read(_CHUNK_BYTES)
            if not chunk:
                return
            yield chunk.encode() if isinstance(chunk, str) else chunk
    else:
        for part in content:
            yield part.encode() if isinstance(part, str) else part


def _quote(name: str) -> str:
    return '"' + re.sub(r"[\r\n]+", " ", name.replace('"', "%22")) + '"'


def _part(name: str, value: Any, is_file: bool) -> Tuple[str, FileContent]:
    head = f"Content-Disposition: form-data; name={_quote(name)}"
    if not is_file:
        return head, value if isinstance(value, str) else json.dumps(value)
    file = value if isinstance(value, File) else File(value)
    kind = re.sub(r"[\r\n]+", " ", file.content_type)
    return f"{head}; filename={_quote(file.filename or name)}\r\nContent-Type: {kind}", file.content


class Upload:
    """A form as a request body, with parts in the given order. What is no text becomes JSON."""

    def __init__(self, parts: Mapping[str, Any], files: Tuple[str, ...]) -> None:
        boundary = f"gleaner-{uuid.uuid4()}"
        self._boundary = boundary
        self._parts: List[Tuple[str, FileContent]] = [
            _part(name, value, name in files) for name, value in parts.items()
        ]
        self.content_type = f"multipart/form-data; boundary={boundary}"
        #: Whether the contents can be read again for a further attempt.
        self.is_repeatable = all(isinstance(content, (str, bytes)) for _, content in self._parts)

    def __iter__(self) -> Iterator[bytes]:
        for head, content in self._parts:
            yield f"--{self._boundary}\r\n{head}\r\n\r\n".encode()
            yield from _chunks(content)
            yield b"\r\n"
        yield f"--{self._boundary}--\r\n".encode()


def to_ndjson(inputs: Iterable[Any]) -> Iterator[bytes]:
    """The inputs of a batch, a line each, in chunks of about 64 KB."""
    lines: List[str] = []
    length = 0
    for item in inputs:
        line = json.dumps(item) + "\n"
        lines.append(line)
        length += len(line)
        if length >= _CHUNK_BYTES:
            yield "".join(lines).encode()
            lines, length = [], 0
    if lines:
        yield "".join(lines).encode()
