from __future__ import annotations

import http.client
import math
import socket
import ssl
import time
from typing import Dict, Iterable, Iterator, Mapping, Optional, Union
from urllib.parse import SplitResult

from ._errors import GleanerError
from ._pause import check

_CHUNK_BYTES = 65_536

Body = Union[bytes, Iterable[bytes], None]


class UploadFault(Exception):
    """The caller's own content failed while it was read; the cause is what it raised."""


def _lost(error: BaseException) -> GleanerError:
    return GleanerError(0, "no answer", detail=str(error) or type(error).__name__)


def _late() -> GleanerError:
    return GleanerError(0, "timed out", detail="no answer within the time limit")


class Exchange:
    """One request and its answer on a connection of its own. Redirects are not followed: the key is for this address."""

    def __init__(
        self,
        base: SplitResult,
        method: str,
        path: str,
        headers: Mapping[str, str],
        body: Body,
        ends_at: float,
    ) -> None:
        self._ends_at = ends_at
        self._silence = math.inf
        self._connection = self._open(base)
        self._socket: Optional[socket.socket] = None
        self._response: Optional[http.client.HTTPResponse] = None
        try:
            self._connection.timeout = self._left()
            self._connection.connect()
            self._socket = self._connection.sock
            self._send(method, path, headers, body)
            self._limit()
            response = self._connection.getresponse()
        except (TimeoutError, socket.timeout) as error:
            self.close()
            raise _late() from error
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise _lost(error) from error
        except BaseException:
            self.close()
            raise
        self._response = response
        self.status = response.status
        self.headers: Dict[str, str] = {name.lower(): value for name, value in response.getheaders()}

    def _open(self, base: SplitResult) -> http.client.HTTPConnection:
        host = base.hostname or ""
        if base.scheme == "https":
            return http.client.HTTPSConnection(host, base.port, context=ssl.create_default_context())
        return http.client.HTTPConnection(host, base.port)

    def _left(self) -> Optional[float]:
        left = min(self._silence, self._ends_at - time.monotonic())
        if left <= 0:
            raise TimeoutError
        return None if left == math.inf else left

    def _limit(self) -> None:
        check()
        if self._socket is not None:
            self._socket.settimeout(self._left())

    def _send(self, method: str, path: str, headers: Mapping[str, str], body: Body) -> None:
        if body is None or isinstance(body, bytes):
            self._connection.request(method, path, body, dict(headers))
            return
        try:
            self._connection.request(
                method, path, self._read(body), {**headers, "transfer-encoding": "chunked"}, encode_chunked=True
            )
        except (BrokenPipeError, ConnectionResetError):
            # The service may have answered before it had read all.
            pass

    def _read(self, body: Iterable[bytes]) -> Iterator[bytes]:
        iterator = iter(body)
        while True:
            try:
                chunk = next(iterator)
            except StopIteration:
                return
            except Exception as error:
                raise UploadFault from error
            self._limit()
            if chunk:
                yield chunk

    def lift(self, silence: float = math.inf, ends_at: float = math.inf) -> None:
        """Ends the time limit: the answer's body may take any time until then, but for a silence of so many seconds."""
        self._ends_at = ends_at
        self._silence = silence
        if self._socket is not None:
            self._socket.settimeout(None if silence == math.inf else silence)

    def chunks(self) -> Iterator[bytes]:
        """The body as it comes."""
        response = self._response
        if response is None:
            return
        try:
            while True:
                if self._ends_at < math.inf:
                    self._limit()
                check()
                chunk = response.read1(_CHUNK_BYTES)
                if not chunk:
                    break
                yield chunk
            left = response.length
        except (TimeoutError, socket.timeout) as error:
            raise _late() from error
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise _lost(error) from error
        if left is not None and left > 0:
            raise GleanerError(0, "no answer", detail="the answer ended before its end")

    def text(self) -> str:
        try:
            return b"".join(self.chunks()).decode("utf-8", "replace")
        finally:
            self.close()

    def close(self) -> None:
        # A response without keep-alive holds the socket by itself.
        if self._response is not None:
            self._response.close()
        self._connection.close()
