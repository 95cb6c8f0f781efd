from __future__ import annotations

import asyncio
import json
import time
import tracemalloc
import unittest
from typing import Any, Dict, Iterator, List, Tuple

from gleaner import AsyncClient, Client, Facts, File, GleanerError, to_pandas

from .service import Service

BATCH = {"id": "bat_1", "status": "running"}


class Calls(unittest.TestCase):
    def test_keywords_that_are_left_out_are_not_sent_and_none_is_null(self) -> None:
        with Service([{"status": 201, "json": BATCH}]) as service:
            client = Client(service.url, "gln_key")
            client.batches.create(target={"type": "parser", "parserId": "p"}, urls=["https://a.example/"], name=None)
        sent = json.loads(service.requests[0]["body"])
        self.assertEqual(
            sent, {"target": {"type": "parser", "parserId": "p"}, "urls": ["https://a.example/"], "name": None}
        )

    def test_its_representations_hide_the_key(self) -> None:
        for client in (Client("https://host.example/", "gln_secret"), AsyncClient("https://host.example/", "gln_secret")):
            self.assertNotIn("gln_secret", repr(client) + str(client))

    def test_it_refuses_what_is_no_address(self) -> None:
        for address in ("example.com", "ftp://example.com", "https://", "https://user:word@example.com"):
            with self.assertRaises(TypeError):
                Client(address)

    def test_an_answer_that_ends_early_is_no_answer(self) -> None:
        with Service([{"status": 200, "json": {"apis": []}, "length": 400}]) as service:
            with self.assertRaises(GleanerError) as raised:
                Client(service.url, retries=0).apis.list()
        self.assertEqual(raised.exception.code, "no answer")

    def test_the_time_limit_is_of_the_whole_answer(self) -> None:
        with Service([{"status": 200, "text": "x" * 10, "length": 1_000_000, "stays": True}]) as service:
            with self.assertRaises(GleanerError) as raised:
                Client(service.url, retries=0, timeout=0.3).apis.list()
        self.assertEqual(raised.exception.code, "timed out")

    def test_details_of_an_answer(self) -> None:
        headers = {"x-request-id": "req_1", "x-credits-used": "5", "x-credits-remaining": "95"}
        seen: List[Facts] = []
        with Service([{"status": 200, "headers": headers, "json": {}}]) as service:
            Client(service.url).scrape("prs_1", "https://a.example/", use_browser=True, options={"on_answer": seen.append})
        self.assertEqual((seen[0].credits_used, seen[0].credits_remaining, seen[0].request_id), (5, 95, "req_1"))
        self.assertEqual(
            service.requests[0]["url"], "/v1/scrape/prs_1?url=https%3A%2F%2Fa.example%2F&useBrowser=true"
        )

    def test_names_in_a_query_have_commas_between_them(self) -> None:
        with Service([{"status": 200, "json": {"rows": []}}]) as service:
            columns: Any = ["sku", "n"]
            Client(service.url).databases.list_rows("db_1", "t", columns=columns, filter='{"sku": ["a"]}').first()
            Client(service.url).extraction.scrape("p", url="u", actions=json.dumps([{"type": "wait"}]))
        self.assertIn("columns=sku%2Cn", service.requests[0]["url"])
        self.assertIn("filter=%7B%22sku%22%3A+%5B%22a%22%5D%7D", service.requests[0]["url"])
        self.assertIn("actions=%5B%7B", service.requests[1]["url"])

    def test_a_schema_that_is_not_saved_runs_as_a_preview(self) -> None:
        with Service([{"status": 200, "json": {"data": {"t": "x"}}}]) as service:
            data = Client(service.url).parse({"fields": {"t": "h1"}}, "<h1>x</h1>")
        self.assertEqual(data, {"t": "x"})
        self.assertEqual(json.loads(service.requests[0]["body"])["html"], "<h1>x</h1>")


def change(number: int) -> Any:
    return {"id": str(number), "kind": "changed", "key": {"sku": number}, "at": "2026-11-29T10:00:00.000Z", "run_id": None}


class Changes(unittest.TestCase):
    PAGES = [
        {"status": 200, "json": {"changes": [change(1), change(2)], "cursor": "c2"}},
        # What was passed over were other kinds.
        {"status": 200, "json": {"changes": [], "cursor": "c3"}},
        {"status": 200, "json": {"changes": [change(4)], "cursor": "c4"}},
        {"status": 200, "json": {"changes": [], "cursor": "c4"}},
    ]

    def test_a_feed_is_read_to_its_end_and_says_where_to_go_on(self) -> None:
        with Service(self.PAGES) as service:
            changes = Client(service.url).table("shop", "products").changes(after="c0", kinds="changed")
            self.assertEqual([one["id"] for one in changes], ["1", "2", "4"])
            self.assertEqual(changes.cursor, "c4")
        self.assertEqual(
            [request["url"].partition("?")[2] for request in service.requests],
            [f"after={cursor}&kinds=changed" for cursor in ("c0", "c2", "c3", "c4")],
        )

    def test_a_feed_that_is_followed_waits_at_its_end_and_keeps_the_cursor_of_a_page_that_was_not_read_whole(self) -> None:
        with Service([{"status": 200, "json": {"changes": [], "cursor": "c1"}}, *self.PAGES]) as service:
            changes = Client(service.url).table("shop", "products").changes("now", follow=True)
            for _ in changes:
                break
            self.assertEqual(changes.cursor, "c1")
        self.assertEqual(
            [request["url"].partition("?")[2] for request in service.requests], ["after=now&wait=30", "after=c1&wait=30"]
        )

    def test_asyncio_reads_the_same(self) -> None:
        async def read(url: str) -> List[str]:
            return [one["id"] async for one in AsyncClient(url).table("shop", "products").changes()]

        with Service(self.PAGES) as service:
            self.assertEqual(asyncio.run(read(service.url)), ["1", "2", "4"])


class Batches(unittest.TestCase):
    def test_inputs_are_never_all_in_memory(self) -> None:
        def inputs() -> Iterator[str]:
            for number in range(300_000):
                yield f"https://shop.example/{number}"

        with Service([{"status": 201, "json": BATCH, "counts": True}]) as service:
            client = Client(service.url, "gln_key")
            tracemalloc.start()
            batch = client.batches.upload(inputs(), target={"type": "parser", "parserId": "p"}, max_credits=5)
            _, peak = tracemalloc.get_traced_memory()
            tracemalloc.stop()
        self.assertEqual(batch["id"], "bat_1")
        # The inputs are 9 MB.
        self.assertLess(peak, 4_000_000)
        self.assertGreater(service.requests[0]["length"], 8_000_000)

    def test_what_an_iterable_raises_is_raised(self) -> None:
        def inputs() -> Iterator[str]:
            yield "https://shop.example/1"
            raise LookupError("no more addresses")

        with Service([{"status": 201, "json": BATCH}]) as service:
            with self.assertRaises(LookupError):
                Client(service.url).batches.run("products", inputs())

    def test_run_gives_the_results(self) -> None:
        answers = [
            {"status": 201, "json": BATCH},
            {"status": 200, "json": {"results": [{"url": "a", "data": {"n": 1}}], "cursor": "x"}},
            {"status": 200, "json": {"results": [{"url": "b", "data": {"n": 2}}]}},
        ]
        with Service(answers) as service:
            run = Client(service.url).batches.run("products", ["a", "b"], max_credits=2)
            self.assertEqual(list(run.rows()), [{"url": "a", "n": 1}, {"url": "b", "n": 2}])
        self.assertIn(b'{"type": "parser", "parserId": "products"}', service.requests[0]["body"])
        with Service(answers) as service:

            async def rows() -> Any:
                run = await AsyncClient(service.url).batches.run("products", ["a", "b"])
                return [result["data"] async for result in run]

            self.assertEqual(asyncio.run(rows()), [{"n": 1}, {"n": 2}])

    def test_a_row_has_the_address_of_its_page_beside_a_field_called_url(self) -> None:
        data = {"url": "https://a.example/canonical", "n": 1}
        results = [{"url": "a", "data": data}, {"url": "b", "data": {"n": 2}}]
        with Service([{"status": 201, "json": BATCH}, {"status": 200, "json": {"results": results}}]) as service:
            rows = list(Client(service.url).batches.run("products", ["a", "b"]).rows())
        self.assertEqual(rows, [{"_url": "a", **data}, {"url": "b", "n": 2}])

    def test_an_export_is_read_row_by_row(self) -> None:
        text = "".join(json.dumps({"n": number}) + "\n" for number in range(3))
        answer = {"status": 200, "headers": {"content-type": "application/x-ndjson"}, "text": text}
        with Service([answer]) as service:
            with Client(service.url).batches.export("bat_1", format="ndjson") as file:
                self.assertEqual([row["n"] for row in file.rows()], [0, 1, 2])

    def test_a_file_is_a_part_of_a_form(self) -> None:
        with Service([{"status": 201, "json": BATCH}]) as service:
            Client(service.url).batches.create_from_file(
                target={"type": "parser", "parserId": "p"}, file=File(b"url\nhttps://a.example/\n", 'a"b.csv', "text/csv")
            )
        body = service.requests[0]["body"].decode()
        self.assertIn('name="file"; filename="a%22b.csv"\r\nContent-Type: text/csv', body)


EVENT = f"id: 1\ndata: {json.dumps(BATCH)}\n\n"
LONG: Dict[str, Any] = {"status": 200, "length": 1_000_000, "stays": True}
STREAM: Dict[str, Any] = {**LONG, "headers": {"content-type": "text/event-stream"}}


class Waits(unittest.TestCase):
    def test_a_wait_ends_at_its_time_whatever_the_service_does(self) -> None:
        cases: Dict[str, Tuple[str, List[Dict[str, Any]]]] = {
            "a stream without an event": ("batches", [{**STREAM, "text": ": hello\n\n"}]),
            "a stream that falls silent": ("batches", [{**STREAM, "text": EVENT}]),
            "a record that does not come": ("jobs", [{**LONG, "text": "{"}]),
            "a limit with a long pause": (
                "jobs",
                [{"status": 429, "headers": {"retry-after": "30"}, "json": {"error": "rate limit exceeded"}}],
            ),
            "a record that stays": ("jobs", [{"status": 200, "json": BATCH}]),
        }
        for name, (group, answers) in cases.items():
            for is_async in (False, True):
                with self.subTest(name, is_async=is_async), Service(answers) as service:
                    begun = time.monotonic()
                    with self.assertRaises(GleanerError) as raised:
                        if is_async:
                            asyncio.run(getattr(AsyncClient(service.url), group).wait_for("x_1", wait={"timeout": 0.3}))
                        else:
                            getattr(Client(service.url), group).wait_for("x_1", wait={"timeout": 0.3})
                    self.assertLess(time.monotonic() - begun, 2)
                    self.assertEqual(raised.exception.code, "timed out")
                    self.assertIn("it goes on", str(raised.exception))

    def test_a_run_waits_no_longer_than_it_is_told(self) -> None:
        with Service([{"status": 201, "json": BATCH}, {**STREAM, "text": EVENT}]) as service:
            with self.assertRaises(GleanerError):
                Client(service.url).batches.run("products", ["a"]).wait(timeout=0.3)


class Cancelled(unittest.TestCase):
    def test_a_cancelled_wait_ends(self) -> None:
        with Service([{"status": 200, "json": BATCH}]) as service:

            async def wait() -> None:
                client = AsyncClient(service.url)
                begun = asyncio.Event()
                loop = asyncio.get_running_loop()

                def hear(_: Any) -> None:
                    loop.call_soon_threadsafe(begun.set)

                task = asyncio.ensure_future(
                    client.batches.wait_for(
                        "bat_1", wait={"on_progress": hear, "poll": 3_600}
                    )
                )
                await begun.wait()
                task.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await task

            # asyncio.run ends when the threads have: the wait has too.
            asyncio.run(wait())


class Frames(unittest.TestCase):
    def test_types_of_columns(self) -> None:
        try:
            import pandas  # type: ignore[import]  # noqa: F401
        except ImportError:
            self.skipTest("pandas is not installed")
        schema = {
            "fields": {
                "title": "h1",
                "price": {"css": ".p", "type": "money"},
                "stock": {"css": ".s", "type": "integer"},
                "day": {"css": ".d", "type": "date"},
                "tags": {"css": "li", "take": "all"},
            }
        }
        results = [
            {"url": "a", "data": {"title": "x", "price": {"amount": 1.5, "currency": "EUR"}, "stock": 3, "day": "2026-01-02", "tags": ["a"]}},
            {"url": "b", "data": {"title": None, "price": None, "stock": None, "day": None, "tags": []}},
        ]
        frame = to_pandas(results, schema)
        self.assertEqual(
            {name: str(dtype) for name, dtype in frame.dtypes.items()},
            {
                "url": "object",
                "title": "string",
                "price": "Float64",
                "price_currency": "string",
                "stock": "Int64",
                "day": "datetime64[ns]",
                "tags": "object",
            },
        )
        self.assertEqual(frame["stock"].isna().tolist(), [False, True])
        self.assertEqual(to_pandas([], schema).shape, (0, 6))
