from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Dict, List


class Service:
    """A service on loopback with answers from the test."""

    def __init__(self, answers: List[Dict[str, Any]]) -> None:
        self.answers = list(answers)
        self.requests: List[Dict[str, Any]] = []
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, format: str, *args: Any) -> None:
                pass

            def _body(self) -> bytes:
                if self.headers.get("transfer-encoding") != "chunked":
                    return self.rfile.read(int(self.headers.get("content-length", "0")))
                body = b""
                while True:
                    length = int(self.rfile.readline(), 16)
                    body += self.rfile.read(length)
                    self.rfile.readline()
                    if length == 0:
                        return body

            def _count(self) -> int:
                """The length of a body in parts, which is not kept."""
                total = 0
                while True:
                    length = int(self.rfile.readline(), 16)
                    self.rfile.read(length)
                    self.rfile.readline()
                    total += length
                    if length == 0:
                        return total

            def _answer(self) -> None:
                answer = service.answers.pop(0) if len(service.answers) > 1 else service.answers[0]
                length = self._count() if answer.get("counts") else 0
                body = b"" if answer.get("counts") else self._body()
                service.requests.append(
                    {
                        "length": length,
                        "method": self.command,
                        "url": self.path,
                        "headers": {name.lower(): value for name, value in self.headers.items()},
                        "body": body,
                    }
                )
                self.close_connection = True
                if answer.get("drop"):
                    return
                content = json.dumps(answer["json"]) if "json" in answer else answer["text"]
                raw = content.encode()
                self.send_response(answer["status"])
                for name, value in answer.get("headers", {}).items():
                    self.send_header(name, value)
                self.send_header("content-length", str(answer.get("length", len(raw))))
                self.send_header("connection", "close")
                self.end_headers()
                self.wfile.write(raw)
                self.wfile.flush()
                if answer.get("stays"):
                    # Until the client leaves.
                    self.rfile.read(1)

            do_GET = do_POST = do_PUT = do_DELETE = _answer

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def __enter__(self) -> "Service":
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
