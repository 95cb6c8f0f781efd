from __future__ import annotations

from functools import partial
from typing import Any, AsyncIterator, Callable, Dict, Iterable, Iterator, Mapping, Optional, Union, cast

from . import types as t
from ._async_operations import AsyncBatches, AsyncGroups
from ._errors import GleanerError
from ._frames import with_address
from ._multipart import File, FileInput, to_ndjson
from ._operations import Batches, Groups
from ._route import UNSET, CallOptions
from ._table import AsyncTable, Table
from ._threads import AsyncListing, in_thread, iterate
from ._transport import Transport
from ._wait import WaitOptions, id_of

#: A saved parser (its id, slug or record), or a schema that isn't saved.
Parser = Union[str, Mapping[str, Any]]
#: URLs, or objects of a prebuilt API's parameters.
Inputs = Iterable[Union[str, Mapping[str, Any]]]


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


def _is_schema(parser: Parser) -> bool:
    return not isinstance(parser, str) and "fields" in parser and "id" not in parser


def _target(client: Groups, target: Parser) -> Any:
    """The target of a run. A schema is saved first: a run needs a parser."""
    if isinstance(target, str):
        return {"type": "parser", "parserId": target}
    if target.get("type") in ("parser", "api"):
        return dict(target)
    if _is_schema(target):
        made = client.parsers.create(name="from Python", schema=cast(Any, target))
        return {"type": "parser", "parserId": made["id"]}
    return {"type": "parser", "parserId": id_of(target)}


class BatchRun:
    """A batch that was sent. Iterate its results in the order of their inputs; that waits for those that come."""

    def __init__(self, batches: Batches, batch: t.Batch) -> None:
        self._batches = batches
        self.batch = batch

    @property
    def id(self) -> str:
        return self.batch["id"]

    def __iter__(self) -> Iterator[t.GetBatchResultsAnswerResults]:
        return iter(self._batches.results(self.id))

    def rows(self) -> Iterator[Dict[str, Any]]:
        """The data of each result, with the address as `url`, or as `_url` beside a field of that name."""
        for result in self:
            data = result["data"]
            if isinstance(data, dict):
                yield with_address(result["url"], data)
            else:
                yield {"url": result["url"], "data": data}

    def failures(self) -> Iterator[Any]:
        """The inputs that failed so far."""
        return iter(self._batches.failures(self.id))

    def wait(self, **options: Any) -> t.Batch:
        """Waits for its end. @param options those of `wait_for`"""
        self.batch = self._batches.wait_for(self.id, wait=cast(WaitOptions, options))
        return self.batch

    def cancel(self) -> None:
        self._batches.cancel(self.id)


class _Batches(Batches):
    def __init__(self, transport: Transport, groups: Groups) -> None:
        super().__init__(transport)
        self._groups = groups

    def upload(self, inputs: Inputs, *, target: Any, options: Optional[CallOptions] = None, **fields: Any) -> t.Batch:
        """Creates a batch of up to 1,000,000 inputs. They are streamed, so memory stays constant."""
        content = File(to_ndjson(inputs), "inputs.ndjson", "application/x-ndjson")
        # In this order: the service reads the fields before the file.
        parts = {"target": target, **fields, "file": content}
        return cast(t.Batch, self._transport.json("createBatch", (), {}, parts, options, files=("file",)))

    def run(self, target: Parser, inputs: Inputs, **fields: Any) -> BatchRun:
        """
        Sends inputs and gives their results.

        @param target a parser's id, slug, record or schema, or `{"type": "api", "id": …}`
        @param fields those of `create`: `max_credits`, `name`, `scrape_config`, …
        """
        return BatchRun(self, self.upload(inputs, target=_target(self._groups, target), **fields))


class Client(Groups):
    """
    The client of a service.

    Without arguments it takes `GLEANER_URL` and `GLEANER_API_KEY`. It sends nothing before the first call, may be used
    by several threads, and raises `GleanerError` for failed calls.
    """

    def __init__(
        self,
        base_url: Optional[str] = None,
        api_key: Optional[str] = None,
        *,
        retries: int = 2,
        timeout: Optional[float] = 150.0,
        headers: Optional[Mapping[str, str]] = None,
        on_wait: Optional[Callable[[GleanerError, float], None]] = None,
    ) -> None:
        transport = Transport(
            base_url, api_key, retries=retries, timeout=timeout, headers=headers, on_wait=on_wait
        )
        super().__init__(transport)
        self._transport = transport
        self.batches: _Batches = _Batches(transport, self)

    def __repr__(self) -> str:
        return f"Client({self._transport!r})"

    def call(
        self,
        id: str,
        *params: Union[str, int],
        query: Optional[Mapping[str, Any]] = None,
        body: Optional[Mapping[str, Any]] = None,
        options: Optional[CallOptions] = None,
    ) -> Any:
        """Calls an operation by its id (`createBatch`), for code that is generic."""
        return self._transport.call(id, params, query, body, options)

    def table(self, database: str, table: str) -> Table:
        """A table of a database, whose changes it reads. @param database its id or slug"""
        return Table(self.databases, database, table)

    def scrape(self, parser: Parser, url: str, *, options: Optional[CallOptions] = None, **config: Any) -> Any:
        """
        Fetches a page and reads it with a parser.

        @param parser a saved one, or a schema: that runs as a preview and is charged also when the schema fails
        @param config how the page is fetched: `use_browser`, `proxy`, …
        """
        if not _is_schema(parser):
            return self.extraction.scrape(id_of(parser), url=url, options=options, **config)
        sent: Dict[str, Any] = {"schema": parser, "url": url, "scrape_config": {_camel(name): value for name, value in config.items()}}
        return self._preview(sent, options)

    def parse(
        self,
        parser: Parser,
        html: FileInput,
        *,
        url: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Any:
        """Reads a page that you have. It is free for saved parsers."""
        where = {} if url is None else {"url": url}
        if not _is_schema(parser):
            page = File(html, "page.html", "text/html; charset=utf-8") if isinstance(html, str) else html
            return self.extraction.parse_html_from_file(
                id_of(parser), html=page, url=UNSET if url is None else url, options=options
            )
        if not isinstance(html, str):
            raise TypeError("a schema that isn't saved needs the page as text")
        return self._preview({"schema": parser, "html": html, **where}, options)

    def _preview(self, body: Dict[str, Any], options: Optional[CallOptions]) -> Any:
        answer = self._transport.json("previewParser", (), {}, body, options)
        if answer.get("data") is None and "error" in answer:
            raise GleanerError(422, str(answer["error"]), field=answer.get("field"), detail=answer.get("detail"))
        return answer["data"]


class AsyncBatchRun:
    """A batch that was sent. Iterate its results in the order of their inputs; that waits for those that come."""

    def __init__(self, run: BatchRun) -> None:
        self._run = run

    @property
    def batch(self) -> t.Batch:
        return self._run.batch

    @property
    def id(self) -> str:
        return self._run.id

    def __aiter__(self) -> AsyncIterator[t.GetBatchResultsAnswerResults]:
        return AsyncListing(self._run._batches.results(self.id)).__aiter__()

    def rows(self) -> AsyncIterator[Dict[str, Any]]:
        """The data of each result, with the address as `url`, or as `_url` beside a field of that name."""
        return iterate(self._run.rows())

    def failures(self) -> AsyncIterator[Any]:
        """The inputs that failed so far."""
        return iterate(self._run.failures())

    async def wait(self, **options: Any) -> t.Batch:
        """Waits for its end. @param options those of `wait_for`"""
        return await in_thread(partial(self._run.wait, **options))

    async def cancel(self) -> None:
        await in_thread(self._run.cancel)


class _AsyncBatches(AsyncBatches):
    def __init__(self, plain: _Batches) -> None:
        super().__init__(plain)
        self._own = plain

    async def upload(
        self, inputs: Inputs, *, target: Any, options: Optional[CallOptions] = None, **fields: Any
    ) -> t.Batch:
        """Creates a batch of up to 1,000,000 inputs. They are streamed, so memory stays constant."""
        return await in_thread(partial(self._own.upload, inputs, target=target, options=options, **fields))

    async def run(self, target: Parser, inputs: Inputs, **fields: Any) -> AsyncBatchRun:
        """Sends inputs and gives their results. @param target a parser's id, slug, record or schema, or an API's target"""
        return AsyncBatchRun(await in_thread(partial(self._own.run, target, inputs, **fields)))


class AsyncClient(AsyncGroups):
    """The same client for asyncio: the same calls, in threads."""

    def __init__(self, base_url: Optional[str] = None, api_key: Optional[str] = None, **options: Any) -> None:
        plain = Client(base_url, api_key, **options)
        super().__init__(plain)
        self._client = plain
        self.batches: _AsyncBatches = _AsyncBatches(plain.batches)

    def __repr__(self) -> str:
        return f"AsyncClient({self._client._transport!r})"

    async def call(
        self,
        id: str,
        *params: Union[str, int],
        query: Optional[Mapping[str, Any]] = None,
        body: Optional[Mapping[str, Any]] = None,
        options: Optional[CallOptions] = None,
    ) -> Any:
        """Calls an operation by its id (`createBatch`), for code that is generic."""
        return await in_thread(partial(self._client.call, id, *params, query=query, body=body, options=options))

    def table(self, database: str, table: str) -> AsyncTable:
        """A table of a database, whose changes it reads. @param database its id or slug"""
        return AsyncTable(self._client.table(database, table))

    async def scrape(self, parser: Parser, url: str, *, options: Optional[CallOptions] = None, **config: Any) -> Any:
        """Fetches a page and reads it with a parser. @param config how the page is fetched"""
        return await in_thread(partial(self._client.scrape, parser, url, options=options, **config))

    async def parse(
        self,
        parser: Parser,
        html: FileInput,
        *,
        url: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Any:
        """Reads a page that you have. It is free for saved parsers."""
        return await in_thread(partial(self._client.parse, parser, html, url=url, options=options))
