# Generated from the operation table of @gleaner/contracts by `npm run docs`; don't edit.
"""Records and inputs of the service, as typed dictionaries."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Literal, Mapping, Sequence, Tuple, TypedDict, Union

if TYPE_CHECKING:
    from typing_extensions import NotRequired

WebhookEventType = Literal["job.finished", "batch.finished", "workflow_run.finished", "cron.fired", "cron.failed", "credits.low", "parser.drift", "rows.changed"]

ErrorText = Literal["invalid request", "invalid or inactive api_key", "not allowed", "forbidden host", "invalid token", "insufficient scope", "unlinked subject", "insufficient credits", "not found", "method not allowed", "target not found", "idempotency conflict", "already finished", "name taken", "in use", "count changed", "regression", "cursor expired", "html too large", "body too large", "unsupported media type", "expectation failed", "extraction failed", "batch writes to a database", "rate limit exceeded", "concurrency limit exceeded", "plan limit exceeded", "pending limit", "fetch failed", "target blocked", "site changed", "temporarily unavailable", "fetch timed out", "internal error"]

class Action(TypedDict):
    click: NotRequired[str]
    """Click the first visible element that matches."""
    type: NotRequired[ActionType]
    """Replace the content of a field, key by key."""
    press: NotRequired[str]
    """Press a key: Enter, ArrowDown, Control+A, a."""
    select: NotRequired[ActionSelect]
    """Choose the option of a `<select>` that has this value or label."""
    scroll: NotRequired[str]
    """`end`: to the end of the page; otherwise until the element is in view."""
    wait: NotRequired[Union[float, str]]
    """Wait for an element, or this many seconds."""
    until: NotRequired[Union[Literal["gone"], Literal["stable"]]]

ActionSelect = TypedDict("ActionSelect", {
    "in": "str",
    "value": "str",
})

class ActionType(TypedDict):
    """Replace the content of a field, key by key."""
    into: str
    text: str

class Alarm(TypedDict):
    version: int
    host: str
    """`*`: all hosts beyond the first 100 of this version, together."""
    state: Union[Literal["healthy"], Literal["degraded"], Literal["broken"]]
    """degraded: some fields no longer have values, or have other ones than before, or are absent since an earlier version; broken: most of them, or the extraction fails."""
    parser: AlarmParser
    fields: List[str]
    """Paths of the broken and absent fields; `*`: the extraction as a whole."""
    since: str
    """When the run began whose pages raised it."""

class AlarmParser(TypedDict):
    id: str
    """Identifier of the parser."""
    name: str

class Alert(TypedDict):
    id: str
    slug: Union[str, None]
    """Stands wherever the id can."""
    name: str
    events: List[Union[Literal["job.finished"], Literal["batch.finished"], Literal["workflow_run.finished"], Literal["cron.fired"], Literal["cron.failed"], Literal["credits.low"], Literal["parser.drift"], Literal["rows.changed"]]]
    filter: AlertFilter2
    to: AlertTo7
    confirmed: bool
    """False until the owner of the e-mail address has followed the link."""
    enabled: bool
    disabled_reason: Union[str, None]
    created_at: str
    """ISO 8601, UTC, milliseconds."""
    updated_at: str
    """ISO 8601, UTC, milliseconds."""

class AlertFilter(TypedDict):
    """What is left out."""
    failed: NotRequired[bool]
    """Whether a run that ends is reported only when something failed."""
    table: NotRequired[str]
    """rows.changed: only changes of tables of this name."""
    kinds: NotRequired[Sequence[Union[Literal["new"], Literal["changed"], Literal["removed"], Literal["returned"]]]]
    """rows.changed: only these kinds; default: all, with `where` only changed."""
    where: NotRequired[Sequence[ChangeTest]]
    """rows.changed: what the values of a changed row must have done; all must hold."""

class AlertFilter2(TypedDict):
    failed: bool
    table: NotRequired[str]
    """rows.changed: only changes of tables of this name."""
    kinds: NotRequired[List[Union[Literal["new"], Literal["changed"], Literal["removed"], Literal["returned"]]]]
    """rows.changed: only these kinds; default: all, with `where` only changed."""
    where: NotRequired[List[ChangeTest]]
    """rows.changed: what the values of a changed row must have done; all must hold."""

AlertTo = Union["AlertTo2", "AlertTo3", "AlertTo4", "AlertTo5", "AlertTo6"]

class AlertTo2(TypedDict):
    type: Literal["slack"]
    url: str
    """Address of an incoming webhook of Slack, or of what takes the same, such as Mattermost."""

class AlertTo3(TypedDict):
    type: Literal["discord"]
    url: str
    """Address of a webhook of a channel."""

class AlertTo4(TypedDict):
    type: Literal["ntfy"]
    url: str
    """Address of the topic: https://ntfy.sh/my-topic."""
    token: NotRequired[str]
    """Access token of the topic."""

class AlertTo5(TypedDict):
    type: Literal["email"]
    address: str
    """Its owner gets a link, and messages once it was followed."""

class AlertTo6(TypedDict):
    type: Literal["webhook"]
    url: str
    """Address that gets the message as JSON, signed with the secret of GET /v1/webhooks/secret."""

class AlertTo7(TypedDict):
    type: Union[Literal["slack"], Literal["discord"], Literal["ntfy"], Literal["email"], Literal["webhook"]]
    shown: str
    """What may be seen of the address, such as https://hooks.slack.com/…."""

class ApiTarget(TypedDict):
    type: Literal["api"]
    id: str
    """Name of a prebuilt API: `videosite-video`."""

class BackfillCronAnswer(TypedDict):
    queued: int
    """Firings that now wait to run."""

class BackfillDryRun(TypedDict):
    dry_run: Literal[True]
    firings: int
    """Firings that would run."""
    inputs: int
    """Inputs of all of them together."""
    credits: Estimate
    """What all of them may charge together."""

class Batch(TypedDict):
    id: str
    """Identifier of the batch."""
    name: Union[str, None]
    status: Union[Literal["pending"], Literal["running"], Literal["succeeded"], Literal["failed"], Literal["cancelled"]]
    has_failures: bool
    """Whether inputs failed, whatever the state."""
    held: int
    """Rows that are held back and wait for a decision."""
    rows: Union[RowChanges, None]
    """Null when none of its tables keeps its changes, and before the first row."""
    publication: Union[Literal["none"], Literal["held"], Literal["publishing"], Literal["published"], Literal["discarded"]]
    """What became of removals that were too many to be made unasked; held: they wait for you."""
    held_removals: List[HeldRemoval]
    """Removals that wait: publish or discard them."""
    mode: Union[Literal["return"], Literal["database"]]
    target: Target
    """What to run: one of your parsers, or a prebuilt API."""
    scrape_config: Dict[str, Any]
    """The parser’s configuration and what was given on top, without headers and cookies."""
    sink: Dict[str, Any]
    """Where the results go, as submitted."""
    max_credits: Union[int, None]
    """What it may charge at most; null: its whole price."""
    keep_pages: Union[str, None]
    """Null: the default, failed."""
    carry: Union[Dict[str, str], None]
    """Names of the values of the inputs that it keeps, by column; null: none."""
    source: Union[RunSource, None]
    """Null when the run was given its inputs."""
    since: Union[str, None]
    """With `source`: a time, or `last_run` in a run of a cron. Null: all that the source names."""
    counts: BatchCounts
    credits: RunCredits
    waiting: Union[WaitingTasks, None]
    """Failed tasks that wait for their next attempt. Null when none does."""
    ways: NotRequired[List[WayCount]]
    """With `escalate`, of one run and not of a list: how its first 50,000 successes came, and what they cost."""
    created_at: str
    """ISO 8601, UTC, milliseconds."""
    started_at: Union[str, None]
    finished_at: Union[str, None]
    expires_at: Union[str, None]
    """When results are removed; null in database mode."""
    refused_count: NotRequired[int]
    refused: NotRequired[List[RefusedInput]]
    """The first 100 invalid inputs; index from 0."""

class BatchCounts(TypedDict):
    total: int
    pending: int
    running: int
    succeeded: int
    failed: int
    cancelled: int
    waiting_for_sink: int
    """The pending or running tasks that are fetched and extracted, and wait for the sink’s database."""
    rows_kept: int
    """Written rows in which a value of an earlier fetch stayed, with `sink.nulls: "keep"`."""
    quarantined: int
    """The same as `held`: rows of succeeded inputs, because the parser seems broken."""

class Change(TypedDict):
    id: str
    """Rises from change to change of a table."""
    kind: Union[Literal["new"], Literal["changed"], Literal["removed"], Literal["returned"]]
    key: Dict[str, Any]
    """The row’s key, whole."""
    at: str
    """When the page was fetched that showed it."""
    run_id: Union[str, None]
    before: NotRequired[Dict[str, Any]]
    """changed: the earlier values of the columns that differ; removed: the whole last row."""
    after: NotRequired[Dict[str, Any]]
    """changed: their new values."""
    row: NotRequired[Dict[str, Any]]
    """new, returned: the whole row. A text of more than 65,536 bytes is `{bytes, sha256}`."""

class ChangeFilter(TypedDict):
    table: NotRequired[str]
    """rows.changed: only changes of tables of this name."""
    kinds: NotRequired[Sequence[Union[Literal["new"], Literal["changed"], Literal["removed"], Literal["returned"]]]]
    """rows.changed: only these kinds; default: all, with `where` only changed."""
    where: NotRequired[Sequence[ChangeTest]]
    """rows.changed: what the values of a changed row must have done; all must hold."""

class ChangeTest(TypedDict):
    column: str
    op: Union[Literal["changed"], Literal["rises"], Literal["falls"], Literal["crosses"]]
    by: NotRequired[Union[float, str]]
    """At least so much: an amount, or a share of the earlier value such as "5%"."""
    value: NotRequired[float]
    """crosses: the bound, at or above which a value is on its other side."""

class Collection(TypedDict):
    id: str
    """The id of its cron, or of its parser."""
    kind: Union[Literal["cron"], Literal["parser"]]
    name: str
    target: CronTarget
    """What to run: one of your parsers, a prebuilt API, or one of your workflows."""
    database: Union[str, None]
    """Where its rows go; null for workflows, whose stages say it."""
    table: Union[str, None]
    schedule: Union[str, None]
    """Null without a cron."""
    timezone: Union[str, None]
    enabled: bool
    """Whether it runs by itself."""
    paused_reason: Union[str, None]
    """Why its cron paused itself."""
    next_run_at: Union[str, None]
    created_at: str
    """ISO 8601, UTC, milliseconds."""
    credits: int
    """What it used in the last 30 days."""
    changed: Union[RowChanges, None]
    """What its runs of the last 24 hours changed; null when none wrote to a table that keeps its changes."""
    runs: List[CollectionRun]
    """The latest 30, newest first."""

class CollectionRun(TypedDict):
    run_id: Union[str, None]
    """A batch or a workflow run; null for a firing without one."""
    at: str
    """When it was due, or made."""
    outcome: Union[Literal["started"], Literal["skipped"], Literal["queued"], Literal["missed"], Literal["failed"]]
    """Of the firing; started for batches."""
    status: Union[Union[Literal["pending"], Literal["running"], Literal["succeeded"], Literal["failed"], Literal["cancelled"]], None]
    """Null without a run, and when the run is deleted."""
    total: int
    succeeded: int
    failed: int
    held: int
    """Rows that are held back and wait for a decision."""
    rows: Union[RowChanges, None]
    """Null when none of its tables keeps its changes, and before the first row."""

class CompareParserVersionsAnswer(TypedDict):
    before: int
    after: Union[int, None]
    """Null: the unsaved schema."""
    samples: int
    """Number of samples on which both were tried."""
    changes: List[FieldChange]
    """What the new version reads differently on the samples, field by field."""
    broken: int
    """Number of changes that break an expectation."""

class Crawl(TypedDict):
    """Which pages the crawl fetches."""
    scope: NotRequired[Union[Literal["page"], Literal["path"], Literal["host"], Literal["site"]]]
    """page: the start pages alone; path: below their folders; host: their hosts; site: their domains with all hosts."""
    include: NotRequired[Sequence[str]]
    """Fetch only addresses that fit one of these. An address or path, with * for anything: `/product/*`."""
    exclude: NotRequired[Sequence[str]]
    """Never fetch addresses that fit one of these. It wins over include."""
    depth: NotRequired[int]
    """Most links between a start page and a page. Links of `next` don’t count."""
    next: NotRequired[Sequence[str]]
    """CSS selectors of the links to the next page of a list, such as `a.next`."""
    sources: NotRequired[CrawlSources]
    """Where addresses come from, beside the start pages."""
    ignore_query: NotRequired[Union[Literal[True], Sequence[str]]]
    """true: addresses that differ in their query alone are one page; or the parameters to leave out."""
    addresses: NotRequired[Union[Literal[1], Literal[2]]]
    """How addresses are written, set when the crawl is made: 2, or 1 as before there was 2."""
    robots: NotRequired[Union[Literal["enforce"], Literal["warn"], Literal["off"]]]
    """enforce: robots.txt decides; warn: it is only noted; off: it is not read."""
    nofollow: NotRequired[bool]
    """true: obey rel=nofollow and robots meta tags."""

class CrawlAnswer(TypedDict):
    """Which pages the crawl fetches."""
    scope: Union[Literal["page"], Literal["path"], Literal["host"], Literal["site"]]
    """page: the start pages alone; path: below their folders; host: their hosts; site: their domains with all hosts."""
    include: List[str]
    """Fetch only addresses that fit one of these. An address or path, with * for anything: `/product/*`."""
    exclude: List[str]
    """Never fetch addresses that fit one of these. It wins over include."""
    depth: int
    """Most links between a start page and a page. Links of `next` don’t count."""
    next: List[str]
    """CSS selectors of the links to the next page of a list, such as `a.next`."""
    sources: CrawlSourcesAnswer
    """Where addresses come from, beside the start pages."""
    ignore_query: NotRequired[Union[Literal[True], List[str]]]
    """true: addresses that differ in their query alone are one page; or the parameters to leave out."""
    addresses: NotRequired[Union[Literal[1], Literal[2]]]
    """How addresses are written, set when the crawl is made: 2, or 1 as before there was 2."""
    robots: Union[Literal["enforce"], Literal["warn"], Literal["off"]]
    """enforce: robots.txt decides; warn: it is only noted; off: it is not read."""
    nofollow: bool
    """true: obey rel=nofollow and robots meta tags."""

class CrawlLimits(TypedDict):
    """Limits of the crawl."""
    pages: NotRequired[int]
    """Most pages of the crawl. Duplicates don’t count, failed pages do."""
    credits: NotRequired[Union[int, None]]

class CrawlRoute(TypedDict):
    name: str
    """Unique in the crawl."""
    match: Union[str, Sequence[str]]
    """The addresses of its pages: `/product/*`. The first route that fits takes a page."""
    target: NotRequired[ParserTarget]
    """The parser that reads them."""
    schema: NotRequired[ParserSchema]
    """A parser that is not saved."""
    sink: NotRequired[StageSink]
    """Where the rows of this stage go."""
    follow: NotRequired[bool]
    """Follow the links of these pages."""

class CrawlRouteAnswer(TypedDict):
    name: str
    """Unique in the crawl."""
    match: Union[str, List[str]]
    """The addresses of its pages: `/product/*`. The first route that fits takes a page."""
    target: NotRequired[ParserTarget]
    """The parser that reads them."""
    schema: NotRequired[ParserSchema]
    """A parser that is not saved."""
    sink: NotRequired[StageSinkAnswer]
    """Where the rows of this stage go."""
    follow: bool
    """Follow the links of these pages."""

class CrawlSources(TypedDict):
    """Where addresses come from, beside the start pages."""
    links: NotRequired[bool]
    """Follow links of pages."""
    sitemaps: NotRequired[bool]
    """Read the sitemaps of the start hosts."""
    feeds: NotRequired[Sequence[str]]
    """RSS, Atom and JSON feeds to read."""

class CrawlSourcesAnswer(TypedDict):
    """Where addresses come from, beside the start pages."""
    links: bool
    """Follow links of pages."""
    sitemaps: bool
    """Read the sitemaps of the start hosts."""
    feeds: List[str]
    """RSS, Atom and JSON feeds to read."""

class CrawlUrl(TypedDict):
    url: str
    status: Union[int, None]
    """HTTP status of the fetch."""
    depth: int
    """Links between a start page and this one."""
    found: Union[Literal["start"], Literal["link"], Literal["next"], Literal["sitemap"], Literal["feed"]]
    """How the crawl came to know it."""
    found_on: Union[str, None]
    """The page, sitemap or feed that named it; null for start pages."""
    route: Union[str, None]
    """The route that takes the page."""
    outcome: Union[Union[Literal["fetched"], Literal["unchanged"], Literal["failed"], Literal["duplicate"], Literal["excluded"], Literal["out_of_scope"], Literal["robots"], Literal["over_limit"]], None]
    """What became of it. `duplicate`: a page that counts under another address. `excluded`: by include or exclude. Null: not fetched, or not yet."""
    last_modified: Union[str, None]
    """As the sitemap, the feed or the page says."""
    canonical: Union[str, None]
    """The canonical address that the page names, when it is another."""
    noindex: bool
    """The page asks search engines not to list it."""

class CreateBatchLinkAnswer(TypedDict):
    url: str
    """Anyone with this address downloads the file; it is in no log."""
    expires_at: str
    """ISO 8601, UTC, milliseconds."""

class CreateCrawlInputCrawl(TypedDict):
    """Which pages the crawl fetches."""
    scope: NotRequired[Union[Literal["page"], Literal["path"], Literal["host"], Literal["site"]]]
    """page: the start pages alone; path: below their folders; host: their hosts; site: their domains with all hosts."""
    include: NotRequired[Sequence[str]]
    """Fetch only addresses that fit one of these. An address or path, with * for anything: `/product/*`."""
    exclude: NotRequired[Sequence[str]]
    """Never fetch addresses that fit one of these. It wins over include."""
    depth: NotRequired[int]
    """Most links between a start page and a page. Links of `next` don’t count."""
    next: NotRequired[Sequence[str]]
    """CSS selectors of the links to the next page of a list, such as `a.next`."""
    sources: NotRequired[CrawlSources]
    """Where addresses come from, beside the start pages."""
    ignore_query: NotRequired[Union[Literal[True], Sequence[str]]]
    """true: addresses that differ in their query alone are one page; or the parameters to leave out."""
    addresses: NotRequired[Union[Literal[1], Literal[2]]]
    """How addresses are written, set when the crawl is made: 2, or 1 as before there was 2."""
    robots: NotRequired[Union[Literal["enforce"], Literal["warn"], Literal["off"]]]
    """enforce: robots.txt decides; warn: it is only noted; off: it is not read."""
    nofollow: NotRequired[bool]
    """true: obey rel=nofollow and robots meta tags."""

class CreateDatabaseCredentialsAnswer(TypedDict):
    host: str
    port: int
    database: str
    schema: str
    user: str
    password: str
    """Shown once."""
    connection_url: str

class CreateMapInputCrawl(TypedDict):
    """Which pages the crawl fetches."""
    scope: NotRequired[Union[Literal["page"], Literal["path"], Literal["host"], Literal["site"]]]
    """page: the start pages alone; path: below their folders; host: their hosts; site: their domains with all hosts."""
    include: NotRequired[Sequence[str]]
    """Fetch only addresses that fit one of these. An address or path, with * for anything: `/product/*`."""
    exclude: NotRequired[Sequence[str]]
    """Never fetch addresses that fit one of these. It wins over include."""
    depth: NotRequired[int]
    """Most links between a start page and a page. Links of `next` don’t count."""
    next: NotRequired[Sequence[str]]
    """CSS selectors of the links to the next page of a list, such as `a.next`."""
    sources: NotRequired[CrawlSources]
    """Where addresses come from, beside the start pages."""
    ignore_query: NotRequired[Union[Literal[True], Sequence[str]]]
    """true: addresses that differ in their query alone are one page; or the parameters to leave out."""
    addresses: NotRequired[Union[Literal[1], Literal[2]]]
    """How addresses are written, set when the crawl is made: 2, or 1 as before there was 2."""
    robots: NotRequired[Union[Literal["enforce"], Literal["warn"], Literal["off"]]]
    """enforce: robots.txt decides; warn: it is only noted; off: it is not read."""
    nofollow: NotRequired[bool]
    """true: obey rel=nofollow and robots meta tags."""

class CreateTableLinkAnswer(TypedDict):
    url: str
    """Anyone with this address downloads the file; it is in no log."""
    expires_at: str
    """ISO 8601, UTC, milliseconds."""

class CreateWebhookAnswer(TypedDict):
    id: str
    slug: Union[str, None]
    """Stands wherever the id can."""
    url: str
    events: List[Union[Literal["job.finished"], Literal["batch.finished"], Literal["workflow_run.finished"], Literal["cron.fired"], Literal["cron.failed"], Literal["credits.low"], Literal["parser.drift"], Literal["rows.changed"]]]
    filter: ChangeFilter
    """Which changed rows `rows.changed` reports."""
    enabled: bool
    disabled_reason: Union[str, None]
    paused_until: Union[str, None]
    """After several failures in a row: no delivery begins before. Null when its deliveries arrive."""
    created_at: str
    """ISO 8601, UTC, milliseconds."""
    updated_at: str
    """ISO 8601, UTC, milliseconds."""
    secret: str
    """Verifies the webhook-signature header (Standard Webhooks); begins with whsec_."""

class Cron(TypedDict):
    id: str
    """Identifier of the cron."""
    slug: Union[str, None]
    """Stands wherever the id can."""
    name: str
    description: str
    url: Union[str, None]
    inputs: NotRequired[Union[List[Any], None]]
    """Absent in lists. Null when the cron has a `url` or a `source`."""
    source: Union[CronSource, None]
    since: Union[str, None]
    input_count: int
    """1 for a source."""
    schedule: str
    timezone: str
    target: CronTarget
    """What to run: one of your parsers, a prebuilt API, or one of your workflows."""
    scrape_config: ScrapeConfigAnswer
    """How the page is fetched. The price depends on useBrowser, proxy and escalate."""
    sink: Union[SinkAnswer, None]
    enabled: bool
    overlap: Union[Literal["skip"], Literal["queue"], Literal["replace"], Literal["allow"]]
    catchup_seconds: Union[int, None]
    pause_after_failures: int
    max_credits: Union[int, None]
    keep_pages: Union[str, None]
    """Null: the default, failed."""
    carry: Union[Union[Literal[True], List[str], Dict[str, str]], None]
    next_run_at: Union[str, None]
    """Null while the cron is not enabled."""
    failures: int
    """Failures in a row: refused firings and failed runs."""
    paused_reason: Union[str, None]
    """Why the cron paused itself."""
    last_firing: Union[ListedCronFiring, None]
    created_at: str
    """ISO 8601, UTC, milliseconds."""
    updated_at: str
    """ISO 8601, UTC, milliseconds."""

class CronFiring(TypedDict):
    id: str
    """Identifier of the firing."""
    scheduled_at: str
    """When it was due."""
    fired_at: Union[str, None]
    """When its run was created; null without a run."""
    outcome: Union[Literal["started"], Literal["skipped"], Literal["queued"], Literal["missed"], Literal["failed"]]
    reason: Union[str, None]
    """Why it has no run, for example `overlap`."""
    run_id: Union[str, None]
    """Its run: a batch, or a workflow run."""
    cause: Union[Literal["schedule"], Literal["trigger"], Literal["backfill"], Literal["catchup"]]

class CronSource(TypedDict):
    sitemap: NotRequired[str]
    feed: NotRequired[str]

CronTarget = Union["ParserTarget", "ApiTarget", "CronTarget2"]

class CronTarget2(TypedDict):
    type: Literal["workflow"]
    workflowId: str
    """Id or slug of the workflow."""

class Database(TypedDict):
    id: str
    slug: Union[str, None]
    """Stands wherever the id can."""
    name: str
    kind: Union[Literal["managed"], Literal["postgres"]]
    schema: Union[str, None]
    """Postgres schema that holds the tables; null for an external database."""
    host: Union[str, None]
    """host:port/database of an external database; the URL is never shown."""
    created_at: str
    """ISO 8601, UTC, milliseconds."""
    updated_at: str
    """ISO 8601, UTC, milliseconds."""

class DatabaseSink(TypedDict):
    mode: Literal["database"]
    """Each result is written as rows of a table."""
    database: str
    """Id or slug of the database."""
    table: str
    """Table name; the table is created on first write."""
    key: NotRequired[Sequence[str]]
    """Columns that identify a row: a later row with the same key updates the earlier one. Default: the parser’s fields with `key`, else `_url`; for prebuilt APIs their natural identifier."""
    rows: NotRequired[str]
    """Path to a list of objects in the data: each element becomes one row."""
    contract: NotRequired[Union[Literal["evolve"], Literal["freeze"], Literal["discard"]]]
    """How a field without a column is handled: evolve adds the column, freeze fails the task, discard omits the field."""
    nulls: NotRequired[Union[Literal["keep"], Literal["overwrite"]]]
    """keep: a null never overwrites a value; overwrite: the new row replaces the old one, with its nulls."""
    types: NotRequired[Dict[str, str]]
    """Types of new columns: `{"price": "numeric(10,2)"}`."""
    history: NotRequired[bool]
    """Keep the changes of the table, which this sink makes: `GET …/changes` reads them."""
    volatile: NotRequired[Sequence[str]]
    """Columns that alone make no change, such as a count of visitors."""
    missing: NotRequired[Union[Literal["keep"], Literal["mark"], Literal["delete"]]]
    """What becomes of rows that their pages give no more: `mark` sets `_removed_at`, `delete` deletes them."""
    expect: NotRequired[DatabaseSinkExpect]
    """What a run may do to the table without being asked."""
    on_drift: NotRequired[Union[Literal["quarantine"], Literal["pause"]]]
    """When the parser seems broken: quarantine holds suspect rows back and does not write them; pause also stops the run or the cron. Default: rows are written."""

class DatabaseSinkAnswer(TypedDict):
    mode: Literal["database"]
    """Each result is written as rows of a table."""
    database: str
    """Id or slug of the database."""
    table: str
    """Table name; the table is created on first write."""
    key: NotRequired[List[str]]
    """Columns that identify a row: a later row with the same key updates the earlier one. Default: the parser’s fields with `key`, else `_url`; for prebuilt APIs their natural identifier."""
    rows: NotRequired[str]
    """Path to a list of objects in the data: each element becomes one row."""
    contract: Union[Literal["evolve"], Literal["freeze"], Literal["discard"]]
    """How a field without a column is handled: evolve adds the column, freeze fails the task, discard omits the field."""
    nulls: Union[Literal["keep"], Literal["overwrite"]]
    """keep: a null never overwrites a value; overwrite: the new row replaces the old one, with its nulls."""
    types: NotRequired[Dict[str, str]]
    """Types of new columns: `{"price": "numeric(10,2)"}`."""
    history: NotRequired[bool]
    """Keep the changes of the table, which this sink makes: `GET …/changes` reads them."""
    volatile: NotRequired[List[str]]
    """Columns that alone make no change, such as a count of visitors."""
    missing: NotRequired[Union[Literal["keep"], Literal["mark"], Literal["delete"]]]
    """What becomes of rows that their pages give no more: `mark` sets `_removed_at`, `delete` deletes them."""
    expect: NotRequired[DatabaseSinkAnswerExpect]
    """What a run may do to the table without being asked."""
    on_drift: NotRequired[Union[Literal["quarantine"], Literal["pause"]]]
    """When the parser seems broken: quarantine holds suspect rows back and does not write them; pause also stops the run or the cron. Default: rows are written."""

class DatabaseSinkAnswerExpect(TypedDict):
    """What a run may do to the table without being asked."""
    removed: NotRequired[float]
    """Removals of more than this share of the rows that earlier runs gave wait for you. Default 0.3."""

class DatabaseSinkExpect(TypedDict):
    """What a run may do to the table without being asked."""
    removed: NotRequired[float]
    """Removals of more than this share of the rows that earlier runs gave wait for you. Default 0.3."""

class DecideAbsentFieldsAnswer(TypedDict):
    version: int
    """The current version; a new one after drop."""

class DeleteRowsAnswer(TypedDict):
    count: int
    """Rows that match with `dry_run`, else rows that were deleted."""

class DiscardQuarantinedRowsAnswer(TypedDict):
    discarded: int

class DiscardRunAnswer(TypedDict):
    id: str
    publication: Union[Literal["none"], Literal["held"], Literal["publishing"], Literal["published"], Literal["discarded"]]
    """What became of removals that were too many to be made unasked; held: they wait for you."""

class DryRun(TypedDict):
    dry_run: Literal[True]
    inputs: int
    """Inputs that would run, after validation and dedupe."""
    duplicates: int
    """Inputs that dedupe removed."""
    refused_count: int
    refused: List[RefusedInput]
    """The first 100 invalid inputs; index from 0."""
    credits: Estimate
    """Possible charges: least when everything fails, expected from past success."""
    rows: Union[Estimate, None]
    """Possible number of rows; null in return mode or when pages contain lists of rows."""

class Estimate(TypedDict):
    least: int
    expected: int
    most: int

class FailureCause(TypedDict):
    cause: str
    """Names it in a retry."""
    error: str
    count: int
    example: FailureCauseExample

class FailureCauseExample(TypedDict):
    url: str
    input: NotRequired[Dict[str, Any]]
    detail: NotRequired[str]
    hint: NotRequired[str]

class FailuresByCause(TypedDict):
    error: str
    count: int

class FieldChange(TypedDict):
    sample: str
    """Identifier of the sample."""
    url: Union[str, None]
    field: str
    before: Any
    after: Any
    expected: NotRequired[Any]
    """Absent when the sample has no expectation for the field."""

class GetApiAnswer(TypedDict):
    id: Union[Literal["photoapp-profile"], Literal["photoapp-reels"], Literal["photoapp-posts"], Literal["videosite-channel-videos"], Literal["videosite-channel-shorts"], Literal["videosite-search"], Literal["videosite-video"], Literal["shortvideo-profile"], Literal["shortvideo-video"], Literal["realty-search"], Literal["realty-details"], Literal["pronet-post"]]
    """The last segment of the path."""
    name: str
    description: str
    methods: List[Union[Literal["GET"], Literal["POST"]]]
    path: str
    credits: int
    """Price of one response; failures cost nothing."""
    input_schema: Dict[str, Any]
    """JSON Schema of the query parameters and of the JSON body."""
    output_schema: Dict[str, Any]
    """JSON Schema of the response."""
    example: GetApiAnswerExample
    row_key: GetApiAnswerRowKey
    """How responses become rows of a database sink, and their default key."""

class GetApiAnswerExample(TypedDict):
    request: GetApiAnswerExampleRequest
    answer: Dict[str, Any]

class GetApiAnswerExampleRequest(TypedDict):
    method: Union[Literal["GET"], Literal["POST"]]
    path: str
    query: Dict[str, Any]

class GetApiAnswerRowKey(TypedDict):
    """How responses become rows of a database sink, and their default key."""
    list: Union[str, None]
    """The list with the rows, or null when each response is one row."""
    columns: List[GetApiAnswerRowKeyColumns]

class GetApiAnswerRowKeyColumns(TypedDict):
    column: str
    path: str

class GetBatchFailuresAnswer(TypedDict):
    causes: NotRequired[List[FailureCause]]
    """All failures grouped by cause, most frequent first; on the first page only."""
    failures: List[GetBatchFailuresAnswerFailures]
    cursor: NotRequired[str]
    """Pass it as `cursor` to get the next page; absent on the last one."""

class GetBatchFailuresAnswerFailures(TypedDict):
    url: str
    input: NotRequired[Dict[str, Any]]
    """For prebuilt APIs the parameters; for parsers what `carry` keeps."""
    error: str
    """Stable text of the error catalogue."""
    detail: NotRequired[str]
    hint: NotRequired[str]
    attempts: int
    fetched_by: Union[str, None]
    """The last way that was tried: `http`, `browser`, `http:highquality`, …; null: it was not fetched."""
    price: int
    """Credits charged for this page; 0 of a failure."""
    phases: NotRequired[TaskPhases]
    """How long the phases of its last attempt took."""

class GetBatchInputsAnswer(TypedDict):
    inputs: List[GetBatchInputsAnswerInputs]
    cursor: NotRequired[str]
    """Pass it as `cursor` to get the next page; absent on the last one."""

class GetBatchInputsAnswerInputs(TypedDict):
    url: str
    input: NotRequired[Dict[str, Any]]
    """For prebuilt APIs the parameters; for parsers what `carry` keeps."""

class GetBatchKeepAnswer(TypedDict):
    database: str
    """Id or slug of the database."""
    table: str
    status: Union[Literal["running"], Literal["succeeded"], Literal["failed"]]
    results: int
    """Results that were read so far."""
    refused: int
    """Results of which the table took no row."""
    detail: Union[str, None]
    """Why it failed, or why the table took no row of the last refused result."""
    created_at: str
    """ISO 8601, UTC, milliseconds."""

class GetBatchResultsAnswer(TypedDict):
    results: List[GetBatchResultsAnswerResults]
    cursor: NotRequired[str]
    """Pass it as `cursor` to get the next page; absent when the run has ended and everything was read."""

class GetBatchResultsAnswerResults(TypedDict):
    url: str
    """The input URL; for prebuilt APIs the address in the parameters, or the equivalent call."""
    input: NotRequired[Dict[str, Any]]
    """For prebuilt APIs the parameters; for parsers what `carry` keeps."""
    fetched_by: Union[str, None]
    """The last way that was tried: `http`, `browser`, `http:highquality`, …; null: it was not fetched."""
    price: int
    """Credits charged for this page; 0 of a failure."""
    data: Any
    """What the target extracted."""

class GetChangesAnswer(TypedDict):
    changes: List[Change]
    cursor: str

class GetCrawlAnswer(TypedDict):
    id: str
    """Identifier of the workflow run."""
    kind: Union[Literal["workflow"], Literal["crawl"], Literal["map"]]
    workflow_id: Union[str, None]
    """Null for crawls and maps."""
    workflow_version: Union[int, None]
    name: Union[str, None]
    """That of the workflow when the run started, or of the crawl."""
    status: Union[Literal["pending"], Literal["running"], Literal["succeeded"], Literal["failed"], Literal["cancelled"]]
    has_failures: bool
    """Whether inputs failed, whatever the state."""
    held: int
    """Rows that are held back and wait for a decision."""
    rows: Union[RowChanges, None]
    """Null when none of its tables keeps its changes, and before the first row."""
    publication: Union[Literal["none"], Literal["held"], Literal["publishing"], Literal["published"], Literal["discarded"]]
    """What became of removals that were too many to be made unasked; held: they wait for you."""
    held_removals: List[HeldRemoval]
    """Removals that wait: publish or discard them."""
    paused: Union[PauseOfRun, None]
    """Why inputs wait."""
    waiting: Union[WaitingTasks, None]
    """Failed tasks that wait for their next attempt. Null when none does."""
    counts: RunCounts
    """Counts of all stages together."""
    credits: RunCredits
    source: Union[RunSource, None]
    """Null when the run was given its inputs."""
    since: Union[str, None]
    """With `source`: a time, or `last_run` in a run of a cron. Null: all that the source names."""
    carry: Union[Dict[str, str], None]
    """Names of the values of the inputs that it keeps, by column; null: none."""
    stages: List[StageState]
    created_at: str
    """ISO 8601, UTC, milliseconds."""
    started_at: Union[str, None]
    finished_at: Union[str, None]
    expires_at: Union[str, None]
    """When results are removed, 24 hours after the end; null before, and without results to read."""
    start: List[str]
    """Addresses where it started."""
    crawl: CrawlAnswer
    """Which pages the crawl fetches."""
    scrape_config: Dict[str, Any]
    """What was given, without headers and cookies."""
    keep_pages: Union[Literal["none"], Literal["all"]]
    """all: each fetched page is kept for 7 days, within the account’s quota. Default: none."""

class GetCreditsAnswer(TypedDict):
    creditBalance: int
    """Remaining credits, including those reserved for unfinished work."""
    concurrency: int
    """How many requests and tasks may execute at the same time."""
    storedBytes: int
    """What the account stores, in bytes: exact within a minute."""
    storedBytesLimit: int
    """How much it may store."""

class GetDatabaseAnswer(TypedDict):
    id: str
    slug: Union[str, None]
    """Stands wherever the id can."""
    name: str
    kind: Union[Literal["managed"], Literal["postgres"]]
    schema: Union[str, None]
    """Postgres schema that holds the tables; null for an external database."""
    host: Union[str, None]
    """host:port/database of an external database; the URL is never shown."""
    created_at: str
    """ISO 8601, UTC, milliseconds."""
    updated_at: str
    """ISO 8601, UTC, milliseconds."""
    tables: Union[List[GetDatabaseAnswerTables], None]
    """Null when an external database does not respond."""
    problem: Union[str, None]
    """Why the tables are unknown."""

class GetDatabaseAnswerTables(TypedDict):
    name: str
    columns: List[TableColumn]
    key: List[str]
    """Columns that identify a row; empty when the table has no unique key without nulls."""
    rows: Union[int, None]
    """Number of rows: exact up to 100,000, beyond that an estimate; null without one."""
    rows_exact: bool
    history: Union[TableHistory, None]
    """What the table keeps of its changes; null when it keeps none."""

class GetNamesAnswer(TypedDict):
    names: List[GetNamesAnswerNames]

class GetNamesAnswerNames(TypedDict):
    id: str
    name: Union[str, None]
    """Of a job its page. Null for a batch without a name."""
    created_at: str
    """ISO 8601, UTC, milliseconds."""

class GetOverviewAnswer(TypedDict):
    causes: List[GetOverviewAnswerCauses]
    """Failures of the last 24 hours by cause, most frequent first: of the latest 20 runs and the latest 200 jobs that have any."""
    paused: List[GetOverviewAnswerPaused]
    """Up to 20 crons that paused themselves."""
    upcoming: List[GetOverviewAnswerUpcoming]
    """The next 10 firings that are due, one for each cron."""

class GetOverviewAnswerCauses(TypedDict):
    cause: str
    """Names it in a retry."""
    error: str
    count: int
    example: GetOverviewAnswerCausesExample
    runs: List[str]
    """Batches and workflow runs with such failures, the latest first."""
    jobs: int
    """How many of the failures are jobs."""

class GetOverviewAnswerCausesExample(TypedDict):
    url: str
    input: NotRequired[Dict[str, Any]]
    detail: NotRequired[str]
    hint: NotRequired[str]

class GetOverviewAnswerPaused(TypedDict):
    id: str
    name: str
    reason: str

class GetOverviewAnswerUpcoming(TypedDict):
    id: str
    name: str
    at: str
    """ISO 8601, UTC, milliseconds."""

class GetPageAnswer(TypedDict):
    id: str
    """Identifier of the page."""
    run_id: str
    """The job, batch or workflow run that fetched it."""
    seq: int
    """Position of its input in the run, from 0."""
    url: str
    final_url: str
    """Address after redirects."""
    status: int
    """HTTP status."""
    content_type: Union[str, None]
    fetched_at: str
    """ISO 8601, UTC, milliseconds."""
    size_bytes: int
    error: Union[str, None]
    """Why the parser failed on it; null when it gave data."""
    expires_at: str
    """ISO 8601, UTC, milliseconds."""
    html: str
    """The HTML, decoded like in a browser."""

class GetParserHealthAnswer(TypedDict):
    hosts: List[GetParserHealthAnswerHosts]
    """The 200 that were used last."""
    days: List[GetParserHealthAnswerDays]
    """The last 30 days on which it read pages, oldest first: of how many pages each field had a value."""

class GetParserHealthAnswerDays(TypedDict):
    day: str
    """Of UTC: `2026-03-01`."""
    fields: List[GetParserHealthAnswerDaysFields]

class GetParserHealthAnswerDaysFields(TypedDict):
    path: str
    pages: int
    filled: int

class GetParserHealthAnswerHosts(TypedDict):
    version: int
    is_current: bool
    """Whether it is the version of the parser now: only that is repaired."""
    host: str
    """`*`: all hosts beyond the first 100 of this version, together."""
    state: Union[Literal["healthy"], Literal["degraded"], Literal["broken"]]
    """degraded: some fields no longer have values, or have other ones than before, or are absent since an earlier version; broken: most of them, or the extraction fails."""
    pages: int
    fields: List[GetParserHealthAnswerHostsFields]
    structure: Union[GetParserHealthAnswerHostsStructure, None]
    """Structure of the pages: the names and classes of their elements, from about every eighth page. It explains alarms and raises none. Null when too few pages are known."""
    failures: List[FailuresByCause]
    """Failures by cause."""
    example: Union[GetParserHealthAnswerHostsExample, None]
    """The last page with a missing or unusual value."""
    changed_at: str
    """When the state changed."""
    updated_at: str
    """ISO 8601, UTC, milliseconds."""

class GetParserHealthAnswerHostsExample(TypedDict):
    url: str
    run_id: str
    seq: int
    page: Union[str, None]
    """The page as it was fetched, while it is kept."""

class GetParserHealthAnswerHostsFields(TypedDict):
    path: str
    fill_rate: Union[float, None]
    """Share of pages with a value, as learned before any drift."""
    pages: int
    """Pages that the rate was learned from; old ones count less."""
    is_broken: bool
    absent_since: Union[str, None]
    """The version before read the field, and this one never has: since when. Decide with decideAbsentFields. Null: it is not so, or the field was kept."""
    broken_by: List[Union[Literal["missing"], Literal["shape"], Literal["range"], Literal["repeated"]]]
    """missing: pages lack the value; shape: texts are written in another way; range: numbers, lengths or counts are outside the usual ones; repeated: successive pages have the same value."""
    values: Union[GetParserHealthAnswerHostsFieldsValues, None]
    """The usual values. `least` and `most` are the limits of numbers, of lengths of texts, or of the items of lists."""
    suspicion: float
    """From 0 to 1: how near the field is to an alarm. Pages that lack the value or have an unusual one raise it, others lower it."""

class GetParserHealthAnswerHostsFieldsValues(TypedDict):
    kind: Union[Literal["text"], Literal["number"], Literal["boolean"], Literal["list"]]
    shapes: List[str]
    """How texts are usually written, the most frequent first: w is words, 9 a number, 9999 the year of a date."""
    least: Union[float, None]
    most: Union[float, None]
    samples: List[str]
    """The last usual values that differ, shortened."""

class GetParserHealthAnswerHostsStructure(TypedDict):
    usual: float
    """Similarity of the pages, from 0 to 1."""
    recent: float
    """Similarity of the last pages to earlier ones, from 0 to 1."""
    is_changed: bool
    """Whether the structure of the last pages has changed."""

GetParserLanguageAnswer = Dict[str, Any]

class GetParserSampleAnswer(TypedDict):
    id: str
    """Identifier of the sample."""
    url: Union[str, None]
    expected: Union[Dict[str, Any], None]
    size_bytes: int
    created_at: str
    """ISO 8601, UTC, milliseconds."""
    html: str
    read: Dict[str, Any]
    """Fields that fail are null."""

class GetRowHistoryAnswer(TypedDict):
    changes: List[Change]
    pagination: Pagination

class GetRunPaceAnswer(TypedDict):
    minutes: List[GetRunPaceAnswerMinutes]
    """Oldest first; minutes in which no page ended are left out."""

class GetRunPaceAnswerMinutes(TypedDict):
    at: str
    """ISO 8601, UTC, milliseconds."""
    succeeded: int
    failures: List[FailuresByCause]

class GetUsageAnswer(TypedDict):
    usage: List[Usage]
    pagination: Pagination

class GetWebhookSecretAnswer(TypedDict):
    secret: str
    """Verifies the webhook-signature header (Standard Webhooks); begins with whsec_."""

class GetWorkflowRunFailuresAnswer(TypedDict):
    causes: NotRequired[List[FailureCause]]
    """All failures grouped by cause, most frequent first; on the first page only."""
    failures: List[GetWorkflowRunFailuresAnswerFailures]
    cursor: NotRequired[str]
    """Pass it as `cursor` to get the next page; absent on the last one."""

class GetWorkflowRunFailuresAnswerFailures(TypedDict):
    stage: str
    url: str
    input: NotRequired[Dict[str, Any]]
    """For prebuilt APIs the parameters; for parsers what `carry` keeps."""
    error: str
    """Stable text of the error catalogue."""
    detail: NotRequired[str]
    hint: NotRequired[str]
    attempts: int
    fetched_by: Union[str, None]
    """The last way that was tried: `http`, `browser`, `http:highquality`, …; null: it was not fetched."""
    price: int
    """Credits charged for this page; 0 of a failure."""
    phases: NotRequired[TaskPhases]
    """How long the phases of its last attempt took."""

class GetWorkflowRunResultsAnswer(TypedDict):
    results: List[GetWorkflowRunResultsAnswerResults]
    cursor: NotRequired[str]
    """Pass it as `cursor` to get the next page; absent when the run has ended and everything was read."""

class GetWorkflowRunResultsAnswerResults(TypedDict):
    url: str
    input: NotRequired[Dict[str, Any]]
    """For prebuilt APIs the parameters; for parsers what `carry` keeps."""
    stage: str
    route: Union[str, None]
    """The route that took the page; null outside crawls."""
    fetched_by: Union[str, None]
    """The last way that was tried: `http`, `browser`, `http:highquality`, …; null: it was not fetched."""
    price: int
    """Credits charged for this page; 0 of a failure."""
    data: Any
    """What the target extracted."""

class HeldRemoval(TypedDict):
    database: str
    table: str
    rows: int
    """Rows that its pages give no more."""
    of: int
    """Rows that earlier runs of the cron or workflow gave."""

class Job(TypedDict):
    id: str
    """Identifier of the job."""
    status: Union[Literal["pending"], Literal["running"], Literal["succeeded"], Literal["failed"], Literal["cancelled"]]
    has_failures: bool
    """Whether inputs failed, whatever the state."""
    held: int
    """Rows that are held back and wait for a decision."""
    rows: Union[RowChanges, None]
    """Null when none of its tables keeps its changes, and before the first row."""
    publication: Union[Literal["none"], Literal["held"], Literal["publishing"], Literal["published"], Literal["discarded"]]
    """What became of removals that were too many to be made unasked; held: they wait for you."""
    held_removals: List[HeldRemoval]
    """Removals that wait: publish or discard them."""
    target: Target
    """What to run: one of your parsers, or a prebuilt API."""
    url: Union[str, None]
    input: Union[Dict[str, Any], None]
    mode: Union[Literal["return"], Literal["database"]]
    scrape_config: Dict[str, Any]
    """The parser’s configuration and what was given on top, without headers and cookies."""
    sink: Dict[str, Any]
    """Where the results go, as submitted."""
    max_credits: Union[int, None]
    """What it may charge at most; null: its whole price."""
    keep_pages: Union[str, None]
    """Null: the default, failed."""
    result: Any
    """The extracted data once it succeeded; kept for 24 hours. Null in database mode."""
    result_removed: bool
    """True when the job succeeded, and its result was removed 24 hours after the job was created."""
    error: Union[JobError, None]
    attempts: int
    phases: Union[TaskPhases, None]
    """How long the phases of its last attempt took; null until it ends and when unknown."""
    fetched_by: Union[str, None]
    """The last way that was tried: `http`, `browser`, `http:highquality`, …; null: it was not fetched."""
    price: Union[int, None]
    credits_used: int
    waiting: Union[WaitingTasks, None]
    """Failed tasks that wait for their next attempt. Null when none does."""
    created_at: str
    """ISO 8601, UTC, milliseconds."""
    started_at: Union[str, None]
    finished_at: Union[str, None]
    expires_at: Union[str, None]

class JobError(TypedDict):
    error: str
    """Stable text of the error catalogue."""
    field: NotRequired[str]
    detail: NotRequired[str]
    hint: NotRequired[str]

Json = Union[str, float, bool, None, Sequence["Json"], Dict[str, "Json"]]

class KeepBatchAnswer(TypedDict):
    database: str
    """Id or slug of the database."""
    table: str
    status: Union[Literal["running"], Literal["succeeded"], Literal["failed"]]
    results: int
    """Results that were read so far."""
    refused: int
    """Results of which the table took no row."""
    detail: Union[str, None]
    """Why it failed, or why the table took no row of the last refused result."""
    created_at: str
    """ISO 8601, UTC, milliseconds."""

class KeepBatchInputSink(TypedDict):
    mode: NotRequired[Literal["database"]]
    """Each result is written as rows of a table."""
    database: str
    """Id or slug of the database."""
    table: str
    """Table name; the table is created on first write."""
    key: NotRequired[Sequence[str]]
    """Columns that identify a row: a later row with the same key updates the earlier one. Default: the parser’s fields with `key`, else `_url`; for prebuilt APIs their natural identifier."""
    rows: NotRequired[str]
    """Path to a list of objects in the data: each element becomes one row."""
    contract: NotRequired[Union[Literal["evolve"], Literal["freeze"], Literal["discard"]]]
    """How a field without a column is handled: evolve adds the column, freeze fails the task, discard omits the field."""
    nulls: NotRequired[Union[Literal["keep"], Literal["overwrite"]]]
    """keep: a null never overwrites a value; overwrite: the new row replaces the old one, with its nulls."""
    types: NotRequired[Dict[str, str]]
    """Types of new columns: `{"price": "numeric(10,2)"}`."""
    history: NotRequired[bool]
    """Keep the changes of the table, which this sink makes: `GET …/changes` reads them."""
    volatile: NotRequired[Sequence[str]]
    """Columns that alone make no change, such as a count of visitors."""
    missing: NotRequired[Union[Literal["keep"], Literal["mark"], Literal["delete"]]]
    """What becomes of rows that their pages give no more: `mark` sets `_removed_at`, `delete` deletes them."""
    expect: NotRequired[KeepBatchInputSinkExpect]
    """What a run may do to the table without being asked."""

class KeepBatchInputSinkExpect(TypedDict):
    """What a run may do to the table without being asked."""
    removed: NotRequired[float]
    """Removals of more than this share of the rows that earlier runs gave wait for you. Default 0.3."""

class KeptPage(TypedDict):
    id: str
    """Identifier of the page."""
    run_id: str
    """The job, batch or workflow run that fetched it."""
    seq: int
    """Position of its input in the run, from 0."""
    url: str
    final_url: str
    """Address after redirects."""
    status: int
    """HTTP status."""
    content_type: Union[str, None]
    fetched_at: str
    """ISO 8601, UTC, milliseconds."""
    size_bytes: int
    error: Union[str, None]
    """Why the parser failed on it; null when it gave data."""
    expires_at: str
    """ISO 8601, UTC, milliseconds."""

class ListAlarmsAnswer(TypedDict):
    alarms: List[Alarm]
    """The latest 1,000, newest first."""

class ListAlertDeliveriesAnswer(TypedDict):
    deliveries: List[WebhookDelivery]
    pagination: Pagination

class ListAlertsAnswer(TypedDict):
    alerts: List[Alert]
    pagination: Pagination

class ListApisAnswer(TypedDict):
    apis: List[ListApisAnswerApis]

class ListApisAnswerApis(TypedDict):
    id: Union[Literal["photoapp-profile"], Literal["photoapp-reels"], Literal["photoapp-posts"], Literal["videosite-channel-videos"], Literal["videosite-channel-shorts"], Literal["videosite-search"], Literal["videosite-video"], Literal["shortvideo-profile"], Literal["shortvideo-video"], Literal["realty-search"], Literal["realty-details"], Literal["pronet-post"]]
    """The last segment of the path."""
    name: str
    description: str
    methods: List[Union[Literal["GET"], Literal["POST"]]]
    path: str
    credits: int
    """Price of one response; failures cost nothing."""

class ListBatchesAnswer(TypedDict):
    batches: List[Batch]
    pagination: Pagination

class ListCollectionsAnswer(TypedDict):
    collections: List[Collection]
    pagination: Pagination

class ListCrawlUrlsAnswer(TypedDict):
    urls: List[CrawlUrl]
    cursor: NotRequired[str]
    """Pass it as `cursor` to get the next page; absent when the run has ended and everything was read."""

class ListCrawlsAnswer(TypedDict):
    crawls: List[WorkflowRun]
    pagination: Pagination

class ListCronRunsAnswer(TypedDict):
    runs: List[ListedCronFiring]
    pagination: Pagination

class ListCronsAnswer(TypedDict):
    crons: List[Cron]
    pagination: Pagination

class ListDatabasesAnswer(TypedDict):
    databases: List[Database]
    pagination: Pagination

class ListDeliveriesAnswer(TypedDict):
    deliveries: List[WebhookDelivery]
    pagination: Pagination

class ListJobsAnswer(TypedDict):
    jobs: List[Job]
    pagination: Pagination

class ListLedgerAnswer(TypedDict):
    entries: List[ListLedgerAnswerEntries]
    pagination: Pagination

class ListLedgerAnswerEntries(TypedDict):
    id: str
    kind: Union[Literal["grant"], Literal["reserve"], Literal["settle"], Literal["release"]]
    """grant adds to the balance; reserve sets credits aside; settle charges reserved credits; release returns them."""
    credits: int
    """Never negative, except a grant that takes credits away."""
    reference: str
    """The request, job, batch or grant that the entry belongs to."""
    created_at: str
    """ISO 8601, UTC, milliseconds."""

class ListPagesAnswer(TypedDict):
    pages: List[KeptPage]
    pagination: Pagination

class ListParserSamplesAnswer(TypedDict):
    samples: List[ParserSample]

class ListParserVersionsAnswer(TypedDict):
    versions: List[ListParserVersionsAnswerVersions]
    pagination: Pagination

class ListParserVersionsAnswerVersions(TypedDict):
    version: int
    schema: ParserSchema
    restored_from: Union[int, None]
    """The version that this one restored."""
    source: Union[str, None]
    """Where the schema is kept, as it was saved with."""
    is_current: bool
    created_at: str
    """ISO 8601, UTC, milliseconds."""

class ListParsersAnswer(TypedDict):
    parsers: List[ListedParser]
    pagination: Pagination

class ListQuarantinedRowsAnswer(TypedDict):
    rows: List[ListQuarantinedRowsAnswerRows]
    pagination: Pagination

class ListQuarantinedRowsAnswerRows(TypedDict):
    seq: int
    """Position of its input in the batch or stage, from 0."""
    stage: Union[str, None]
    """Of a workflow run: its stage or route. Null for others."""
    url: str
    state: Union[Literal["suspect"], Literal["held"], Literal["releasing"], Literal["released"], Literal["discarded"], Literal["reparsed"]]
    """suspect: only its page looks wrong, it is written when the parser proves healthy; held: it waits for you."""
    reason: str
    data: Any
    fetched_at: str
    """ISO 8601, UTC, milliseconds."""
    current: NotRequired[Union[ListQuarantinedRowsAnswerRowsCurrent, None]]
    """With `with_current`: what writing the row would replace; null when the table has no row."""

class ListQuarantinedRowsAnswerRowsCurrent(TypedDict):
    fetched_at: Union[str, None]
    data: Dict[str, Any]

class ListRowsAnswer(TypedDict):
    rows: List[Dict[str, Any]]
    pagination: Pagination

class ListRunsOfWorkflowAnswer(TypedDict):
    workflow_runs: List[WorkflowRun]
    pagination: Pagination

class ListWebhookDeliveriesAnswer(TypedDict):
    deliveries: List[WebhookDelivery]
    pagination: Pagination

class ListWebhooksAnswer(TypedDict):
    webhooks: List[Webhook]
    pagination: Pagination

class ListWorkflowRunsAnswer(TypedDict):
    workflow_runs: List[WorkflowRun]
    pagination: Pagination

class ListWorkflowsAnswer(TypedDict):
    workflows: List[Workflow]
    pagination: Pagination

class ListedCronFiring(TypedDict):
    id: str
    """Identifier of the firing."""
    scheduled_at: str
    """When it was due."""
    fired_at: Union[str, None]
    """When its run was created; null without a run."""
    outcome: Union[Literal["started"], Literal["skipped"], Literal["queued"], Literal["missed"], Literal["failed"]]
    reason: Union[str, None]
    """Why it has no run, for example `overlap`."""
    run_id: Union[str, None]
    """Its run: a batch, or a workflow run."""
    cause: Union[Literal["schedule"], Literal["trigger"], Literal["backfill"], Literal["catchup"]]
    run: Union[ListedCronFiringRun, None]
    """What became of its run, in inputs; null without a run, and when the run is deleted."""

class ListedCronFiringRun(TypedDict):
    status: Union[Literal["pending"], Literal["running"], Literal["succeeded"], Literal["failed"], Literal["cancelled"]]
    total: int
    succeeded: int
    failed: int
    held: int
    """Rows that are held back and wait for a decision."""
    rows: Union[RowChanges, None]
    """Null when none of its tables keeps its changes, and before the first row."""
    publication: Union[Literal["none"], Literal["held"], Literal["publishing"], Literal["published"], Literal["discarded"]]
    """What became of removals that were too many to be made unasked; held: they wait for you."""

class ListedParser(TypedDict):
    id: str
    """Identifier of the parser."""
    slug: Union[str, None]
    """Stands wherever the id can."""
    name: str
    description: Union[str, None]
    version: int
    """Number of the current version, from 1."""
    scrape_config: ScrapeConfigAnswer
    """How the page is fetched. The price depends on useBrowser, proxy and escalate."""
    created_at: str
    """ISO 8601, UTC, milliseconds."""
    updated_at: str
    """ISO 8601, UTC, milliseconds."""
    fields: List[str]
    """Names of its fields; getParser gives the schema."""

class LoadPageResourcesAnswer(TypedDict):
    resources: List[PageResource]

class PageResource(TypedDict):
    url: str
    """As it was asked."""
    type: Union[str, None]
    """Media type: an image, a style sheet or a font. Null: not loaded."""
    base64: Union[str, None]
    reason: Union[str, None]
    """Why it was not loaded."""

class Pagination(TypedDict):
    cursor: Union[str, None]
    """Pass it as `cursor` to get the next page; null on the last one."""
    has_more: bool

ParseHtmlAnswer = Dict[str, Any]

class Parser(TypedDict):
    id: str
    """Identifier of the parser."""
    slug: Union[str, None]
    """Stands wherever the id can."""
    name: str
    description: Union[str, None]
    schema: ParserSchema
    version: int
    """Number of the current version, from 1."""
    scrape_config: ScrapeConfigAnswer
    """How the page is fetched. The price depends on useBrowser, proxy and escalate."""
    created_at: str
    """ISO 8601, UTC, milliseconds."""
    updated_at: str
    """ISO 8601, UTC, milliseconds."""

ParserField = Union[str, "ParserField2"]

ParserField2 = TypedDict("ParserField2", {
    "css": "NotRequired[Union[str, Sequence[str]]]",
    "xpath": "NotRequired[Union[str, Sequence[str]]]",
    "jsonld": "NotRequired[str]",
    "microdata": "NotRequired[str]",
    "json": "NotRequired[ParserField2Json]",
    "xhr": "NotRequired[ParserField2Xhr]",
    "meta": "NotRequired[str]",
    "const": "NotRequired[Union[str, float, bool]]",
    "page": "NotRequired[Union[Literal[\"url\"], Literal[\"final_url\"], Literal[\"status\"], Literal[\"fetched_at\"], Literal[\"title\"], Literal[\"headline\"], Literal[\"language\"], Literal[\"text\"], Literal[\"markdown\"], Literal[\"main_html\"], Literal[\"html\"], Literal[\"links\"], Literal[\"responses\"], Literal[\"json\"], Literal[\"pages\"], Literal[\"published\"], Literal[\"modified\"], Literal[\"author\"], Literal[\"description\"], Literal[\"image\"], Literal[\"screenshot\"], Literal[\"pdf\"]]]",
    "any": "NotRequired[Sequence[Union[str, ParserField2Any]]]",
    "attr": "NotRequired[str]",
    "take": "NotRequired[Union[Literal[\"first\"], Literal[\"all\"], Literal[\"count\"], Literal[\"exists\"]]]",
    "type": "NotRequired[Union[Literal[\"string\"], Literal[\"number\"], Literal[\"integer\"], Literal[\"money\"], Literal[\"duration\"], Literal[\"rating\"], Literal[\"boolean\"], Literal[\"date\"], Literal[\"datetime\"], Literal[\"url\"], Literal[\"html\"], Literal[\"text\"], Literal[\"markdown\"], Literal[\"json\"], Literal[\"table\"]]]",
    "sibling": "NotRequired[str]",
    "transform": "NotRequired[Sequence[Union[Literal[\"trim\"], Literal[\"collapse\"], Literal[\"lower\"], Literal[\"upper\"], Literal[\"unique\"], ParserField2Transform, ParserField2Transform2, ParserField2Transform3, ParserField2Transform4, ParserField2Transform5, ParserField2Transform6, ParserField2Transform7, ParserField2Transform8]]]",
    "locale": "NotRequired[str]",
    "format": "NotRequired[str]",
    "required": "NotRequired[bool]",
    "assert": "NotRequired[ParserField2Assert]",
    "default": "NotRequired[Json]",
    "key": "NotRequired[bool]",
    "fields": "NotRequired[Dict[str, ParserField]]",
})

class ParserField2Any(TypedDict):
    css: NotRequired[Union[str, Sequence[str]]]
    """CSS selector, or selectors tried in order until one matches. `sel@attr` takes an attribute."""
    xpath: NotRequired[Union[str, Sequence[str]]]
    """XPath 3.1, or several tried in order until one matches."""
    jsonld: NotRequired[str]
    """JSONPath into the JSON-LD of the page: `$` is the array of all blocks, @graph flattened."""
    microdata: NotRequired[str]
    """JSONPath into the microdata of the page: `$` is the array of its top items."""
    json: NotRequired[ParserField2AnyJson]
    """Data embedded in a script or attribute, or a page that is JSON itself."""
    xhr: NotRequired[ParserField2AnyXhr]
    """A JSON response that the page itself loaded. Only pages loaded in a browser have any."""
    meta: NotRequired[str]
    """Name, property, itemprop or http-equiv of a meta tag: `og:title`."""
    const: NotRequired[Union[str, float, bool]]
    """A constant."""
    page: NotRequired[Union[Literal["url"], Literal["final_url"], Literal["status"], Literal["fetched_at"], Literal["title"], Literal["headline"], Literal["language"], Literal["text"], Literal["markdown"], Literal["main_html"], Literal["html"], Literal["links"], Literal["responses"], Literal["json"], Literal["pages"], Literal["published"], Literal["modified"], Literal["author"], Literal["description"], Literal["image"], Literal["screenshot"], Literal["pdf"]]]
    """A fact about the page: its addresses, status and fetch time; its title and language; its text, HTML, main content as Markdown, links (a list), and the JSON responses that it loaded (a list; browser only); its text when it is JSON; how many pages a PDF has; a screenshot or PDF of a page in a browser, as an address that expires."""
    attr: NotRequired[str]
    """Attribute to read instead of the text. Special values: `html`, `inner_html`, `own_text` and `raw_text` (the DOM’s `textContent`)."""
    transform: NotRequired[Sequence[Union[Literal["trim"], Literal["collapse"], Literal["lower"], Literal["upper"], Literal["unique"], ParserField2AnyTransform, ParserField2AnyTransform2, ParserField2AnyTransform3, ParserField2AnyTransform4, ParserField2AnyTransform5, ParserField2AnyTransform6, ParserField2AnyTransform7, ParserField2AnyTransform8]]]
    """Steps that change the raw text before it is converted to the type. Text is trimmed first, unless this is []."""
    locale: NotRequired[str]
    """Language of numbers and dates: a tag such as `de` or `en-GB`."""
    format: NotRequired[str]
    """Format of dates: `dd.MM.yyyy HH:mm`, with quotes around literal text."""

class ParserField2AnyJson(TypedDict):
    """Data embedded in a script or attribute, or a page that is JSON itself."""
    script: NotRequired[str]
    """CSS selector of the script, or a `/regex/` after which the data starts in any script. Without it, the page itself is JSON; inside a field that matched JSON, its value."""
    path: str
    """JSONPath (RFC 9535) into the data."""

class ParserField2AnyTransform(TypedDict):
    """Keeps the first match; without a match the value is absent."""
    regex: str
    """Regular expression, RE2 syntax."""
    group: NotRequired[Union[int, str]]
    """Number or name of the group to keep; default 1, or 0 when the pattern has none."""

class ParserField2AnyTransform2(TypedDict):
    """[pattern, text]: replaces every match; $1 and $<name> insert groups."""
    replace: Tuple[str, str]

class ParserField2AnyTransform3(TypedDict):
    """Splits the text at this separator into a list."""
    split: str

class ParserField2AnyTransform4(TypedDict):
    """Joins a list into one text."""
    join: str

class ParserField2AnyTransform5(TypedDict):
    """[from, to]: part of a text, or of a list; negative numbers count from the end."""
    slice: Union[Tuple[int], Tuple[int, int]]

class ParserField2AnyTransform6(TypedDict):
    """Replaces the text by its entry; "*" is the entry for all other texts, which otherwise stay unchanged. null makes the value absent."""
    map: Dict[str, Union[str, float, bool, None]]

class ParserField2AnyTransform7(TypedDict):
    """Removes these characters at both ends."""
    strip: str

class ParserField2AnyTransform8(TypedDict):
    """Inserts the value into a text at {value}."""
    template: str

class ParserField2AnyXhr(TypedDict):
    """A JSON response that the page itself loaded. Only pages loaded in a browser have any."""
    url: str
    """Address of the response; `*` matches any text. A pattern that starts with / is compared only with path and query."""
    path: str
    """JSONPath (RFC 9535) into the response."""

class ParserField2Assert(TypedDict):
    """Conditions that the value must meet."""
    min: NotRequired[float]
    """Minimum."""
    max: NotRequired[float]
    """Maximum."""
    min_items: NotRequired[int]
    """Minimum number of items: the values of a list, or the matches for `count` and `exists`. A single value counts as one, an absent value as none."""
    max_items: NotRequired[int]
    """Maximum number of items."""
    pattern: NotRequired[str]
    """Regular expression (RE2) that must match somewhere in the text."""
    enum: NotRequired[Sequence[Union[str, float, bool]]]
    """The allowed values."""
    on_fail: NotRequired[Union[Literal["fail"], Literal["null"], Literal["drop_row"]]]
    """The effect of a failed assertion or type conversion: fail the extraction (default), make the value null, or drop the row of the nearest list."""

class ParserField2Json(TypedDict):
    """Data embedded in a script or attribute, or a page that is JSON itself."""
    script: NotRequired[str]
    """CSS selector of the script, or a `/regex/` after which the data starts in any script. Without it, the page itself is JSON; inside a field that matched JSON, its value."""
    path: str
    """JSONPath (RFC 9535) into the data."""

class ParserField2Transform(TypedDict):
    """Keeps the first match; without a match the value is absent."""
    regex: str
    """Regular expression, RE2 syntax."""
    group: NotRequired[Union[int, str]]
    """Number or name of the group to keep; default 1, or 0 when the pattern has none."""

class ParserField2Transform2(TypedDict):
    """[pattern, text]: replaces every match; $1 and $<name> insert groups."""
    replace: Tuple[str, str]

class ParserField2Transform3(TypedDict):
    """Splits the text at this separator into a list."""
    split: str

class ParserField2Transform4(TypedDict):
    """Joins a list into one text."""
    join: str

class ParserField2Transform5(TypedDict):
    """[from, to]: part of a text, or of a list; negative numbers count from the end."""
    slice: Union[Tuple[int], Tuple[int, int]]

class ParserField2Transform6(TypedDict):
    """Replaces the text by its entry; "*" is the entry for all other texts, which otherwise stay unchanged. null makes the value absent."""
    map: Dict[str, Union[str, float, bool, None]]

class ParserField2Transform7(TypedDict):
    """Removes these characters at both ends."""
    strip: str

class ParserField2Transform8(TypedDict):
    """Inserts the value into a text at {value}."""
    template: str

class ParserField2Xhr(TypedDict):
    """A JSON response that the page itself loaded. Only pages loaded in a browser have any."""
    url: str
    """Address of the response; `*` matches any text. A pattern that starts with / is compared only with path and query."""
    path: str
    """JSONPath (RFC 9535) into the response."""

class ParserFieldAny(TypedDict):
    css: NotRequired[Union[str, Sequence[str]]]
    """CSS selector, or selectors tried in order until one matches. `sel@attr` takes an attribute."""
    xpath: NotRequired[Union[str, Sequence[str]]]
    """XPath 3.1, or several tried in order until one matches."""
    jsonld: NotRequired[str]
    """JSONPath into the JSON-LD of the page: `$` is the array of all blocks, @graph flattened."""
    microdata: NotRequired[str]
    """JSONPath into the microdata of the page: `$` is the array of its top items."""
    json: NotRequired[ParserFieldAnyJson]
    """Data embedded in a script or attribute, or a page that is JSON itself."""
    xhr: NotRequired[ParserFieldAnyXhr]
    """A JSON response that the page itself loaded. Only pages loaded in a browser have any."""
    meta: NotRequired[str]
    """Name, property, itemprop or http-equiv of a meta tag: `og:title`."""
    const: NotRequired[Union[str, float, bool]]
    """A constant."""
    page: NotRequired[Union[Literal["url"], Literal["final_url"], Literal["status"], Literal["fetched_at"], Literal["title"], Literal["headline"], Literal["language"], Literal["text"], Literal["markdown"], Literal["main_html"], Literal["html"], Literal["links"], Literal["responses"], Literal["json"], Literal["pages"], Literal["published"], Literal["modified"], Literal["author"], Literal["description"], Literal["image"], Literal["screenshot"], Literal["pdf"]]]
    """A fact about the page: its addresses, status and fetch time; its title and language; its text, HTML, main content as Markdown, links (a list), and the JSON responses that it loaded (a list; browser only); its text when it is JSON; how many pages a PDF has; a screenshot or PDF of a page in a browser, as an address that expires."""
    attr: NotRequired[str]
    """Attribute to read instead of the text. Special values: `html`, `inner_html`, `own_text` and `raw_text` (the DOM’s `textContent`)."""
    transform: NotRequired[Sequence[Union[Literal["trim"], Literal["collapse"], Literal["lower"], Literal["upper"], Literal["unique"], ParserFieldAnyTransform, ParserFieldAnyTransform2, ParserFieldAnyTransform3, ParserFieldAnyTransform4, ParserFieldAnyTransform5, ParserFieldAnyTransform6, ParserFieldAnyTransform7, ParserFieldAnyTransform8]]]
    """Steps that change the raw text before it is converted to the type. Text is trimmed first, unless this is []."""
    locale: NotRequired[str]
    """Language of numbers and dates: a tag such as `de` or `en-GB`."""
    format: NotRequired[str]
    """Format of dates: `dd.MM.yyyy HH:mm`, with quotes around literal text."""

class ParserFieldAnyJson(TypedDict):
    """Data embedded in a script or attribute, or a page that is JSON itself."""
    script: NotRequired[str]
    """CSS selector of the script, or a `/regex/` after which the data starts in any script. Without it, the page itself is JSON; inside a field that matched JSON, its value."""
    path: str
    """JSONPath (RFC 9535) into the data."""

class ParserFieldAnyTransform(TypedDict):
    """Keeps the first match; without a match the value is absent."""
    regex: str
    """Regular expression, RE2 syntax."""
    group: NotRequired[Union[int, str]]
    """Number or name of the group to keep; default 1, or 0 when the pattern has none."""

class ParserFieldAnyTransform2(TypedDict):
    """[pattern, text]: replaces every match; $1 and $<name> insert groups."""
    replace: Tuple[str, str]

class ParserFieldAnyTransform3(TypedDict):
    """Splits the text at this separator into a list."""
    split: str

class ParserFieldAnyTransform4(TypedDict):
    """Joins a list into one text."""
    join: str

class ParserFieldAnyTransform5(TypedDict):
    """[from, to]: part of a text, or of a list; negative numbers count from the end."""
    slice: Union[Tuple[int], Tuple[int, int]]

class ParserFieldAnyTransform6(TypedDict):
    """Replaces the text by its entry; "*" is the entry for all other texts, which otherwise stay unchanged. null makes the value absent."""
    map: Dict[str, Union[str, float, bool, None]]

class ParserFieldAnyTransform7(TypedDict):
    """Removes these characters at both ends."""
    strip: str

class ParserFieldAnyTransform8(TypedDict):
    """Inserts the value into a text at {value}."""
    template: str

class ParserFieldAnyXhr(TypedDict):
    """A JSON response that the page itself loaded. Only pages loaded in a browser have any."""
    url: str
    """Address of the response; `*` matches any text. A pattern that starts with / is compared only with path and query."""
    path: str
    """JSONPath (RFC 9535) into the response."""

class ParserFieldAssert(TypedDict):
    """Conditions that the value must meet."""
    min: NotRequired[float]
    """Minimum."""
    max: NotRequired[float]
    """Maximum."""
    min_items: NotRequired[int]
    """Minimum number of items: the values of a list, or the matches for `count` and `exists`. A single value counts as one, an absent value as none."""
    max_items: NotRequired[int]
    """Maximum number of items."""
    pattern: NotRequired[str]
    """Regular expression (RE2) that must match somewhere in the text."""
    enum: NotRequired[Sequence[Union[str, float, bool]]]
    """The allowed values."""
    on_fail: NotRequired[Union[Literal["fail"], Literal["null"], Literal["drop_row"]]]
    """The effect of a failed assertion or type conversion: fail the extraction (default), make the value null, or drop the row of the nearest list."""

class ParserFieldJson(TypedDict):
    """Data embedded in a script or attribute, or a page that is JSON itself."""
    script: NotRequired[str]
    """CSS selector of the script, or a `/regex/` after which the data starts in any script. Without it, the page itself is JSON; inside a field that matched JSON, its value."""
    path: str
    """JSONPath (RFC 9535) into the data."""

class ParserFieldTransform(TypedDict):
    """Keeps the first match; without a match the value is absent."""
    regex: str
    """Regular expression, RE2 syntax."""
    group: NotRequired[Union[int, str]]
    """Number or name of the group to keep; default 1, or 0 when the pattern has none."""

class ParserFieldTransform2(TypedDict):
    """[pattern, text]: replaces every match; $1 and $<name> insert groups."""
    replace: Tuple[str, str]

class ParserFieldTransform3(TypedDict):
    """Splits the text at this separator into a list."""
    split: str

class ParserFieldTransform4(TypedDict):
    """Joins a list into one text."""
    join: str

class ParserFieldTransform5(TypedDict):
    """[from, to]: part of a text, or of a list; negative numbers count from the end."""
    slice: Union[Tuple[int], Tuple[int, int]]

class ParserFieldTransform6(TypedDict):
    """Replaces the text by its entry; "*" is the entry for all other texts, which otherwise stay unchanged. null makes the value absent."""
    map: Dict[str, Union[str, float, bool, None]]

class ParserFieldTransform7(TypedDict):
    """Removes these characters at both ends."""
    strip: str

class ParserFieldTransform8(TypedDict):
    """Inserts the value into a text at {value}."""
    template: str

class ParserFieldXhr(TypedDict):
    """A JSON response that the page itself loaded. Only pages loaded in a browser have any."""
    url: str
    """Address of the response; `*` matches any text. A pattern that starts with / is compared only with path and query."""
    path: str
    """JSONPath (RFC 9535) into the response."""

class ParserSample(TypedDict):
    id: str
    """Identifier of the sample."""
    url: Union[str, None]
    expected: Union[Dict[str, Any], None]
    size_bytes: int
    created_at: str
    """ISO 8601, UTC, milliseconds."""

class ParserSchema(TypedDict):
    """An extraction schema: named fields with their sources."""
    fields: Dict[str, ParserField]
    """The fields to read from the page, by name."""
    allow_empty: NotRequired[bool]
    """Whether a page on which nothing matches is a success. Default: it fails and is not charged."""

class ParserTarget(TypedDict):
    type: Literal["parser"]
    parserId: str
    """Id or slug of the parser; `page`, which is built in, gives any page as Markdown."""
    version: NotRequired[Union[int, None]]
    """Version of the parser to run; null or absent: the current one when the work is created. Null for `page`."""

class PauseOfRun(TypedDict):
    reason: Union[Literal["insufficient credits"], Literal["pending limit"], Literal["limits.credits"]]
    """`insufficient credits`: it goes on when there are some, and ends without them after 24 hours. `pending limit`. `limits.credits`."""
    since: str
    """ISO 8601, UTC, milliseconds."""

class PhotoappPost(TypedDict):
    id: Union[str, None]
    """Media id."""
    shortcode: Union[str, None]
    """The short code in the post’s address."""
    display_url: Union[str, None]
    """Image, or the poster of a video. Signed by the site and valid for a few days."""
    is_video: Union[bool, None]
    """Whether the post itself is a video."""
    likes: Union[int, None]
    """Likes; null when the owner hides them or the page does not show them."""
    comments: Union[int, None]
    """Comments."""
    timestamp: Union[int, None]
    """Unix seconds."""
    caption: Union[str, None]
    """Caption; null when the post has none."""

class PhotoappPostsAnswer(TypedDict):
    user_id: Union[str, None]
    """Numeric user id, to send with the cursor."""
    posts: List[PhotoappPost]
    """Posts in the order of the site, pinned ones first."""
    pagination: PhotoappPostsAnswerPagination

class PhotoappPostsAnswerPagination(TypedDict):
    has_next_page: bool
    end_cursor: Union[str, None]
    """Cursor of the next page; null on the last one."""

class PhotoappPostsInput(TypedDict):
    username: NotRequired[str]
    """User name, with or without a leading @."""
    user_id: NotRequired[str]
    """Numeric user id, the `user_id` of the previous response. Required with a token."""
    cursor: NotRequired[str]
    """`pagination.end_cursor` of the previous response."""
    first: NotRequired[int]
    """Posts per page, 1 to 50."""

class PhotoappProfileAnswer(TypedDict):
    identity: PhotoappProfileAnswerIdentity
    metrics: PhotoappProfileAnswerMetrics
    account_type: PhotoappProfileAnswerAccountType
    business_info: PhotoappProfileAnswerBusinessInfo
    content: PhotoappProfileAnswerContent
    pagination: PhotoappProfileAnswerPagination

class PhotoappProfileAnswerAccountType(TypedDict):
    is_verified: Union[bool, None]
    """Whether the account is verified."""
    is_private: Union[bool, None]
    """Whether only followers see the posts."""
    is_business_account: Union[bool, None]
    """Whether it is a business account."""
    is_professional_account: Union[bool, None]
    """Whether it is a business or creator account."""

class PhotoappProfileAnswerBusinessInfo(TypedDict):
    category_name: Union[str, None]
    """Category shown on the profile."""
    email: Union[str, None]
    """Public business e-mail address."""
    phone_number: Union[str, None]
    """Public business phone number."""

class PhotoappProfileAnswerContent(TypedDict):
    has_clips: Union[bool, None]
    """Whether the account has reels."""
    highlight_reel_count: Union[int, None]
    """Story highlights."""
    recent_posts: List[PhotoappPost]
    """The newest posts on the page; empty for private accounts."""

class PhotoappProfileAnswerIdentity(TypedDict):
    username: Union[str, None]
    """User name."""
    full_name: Union[str, None]
    """Display name."""
    id: Union[str, None]
    """Numeric user id."""
    biography: Union[str, None]
    """Biography; line breaks are kept."""
    profile_pic_url: Union[str, None]
    """Profile picture."""
    profile_pic_url_hd: Union[str, None]
    """Large profile picture, when the page has one."""
    external_url: Union[str, None]
    """Link on the profile."""
    bio_links: List[PhotoappProfileAnswerIdentityBioLinks]
    """Links in the biography."""

class PhotoappProfileAnswerIdentityBioLinks(TypedDict):
    title: Union[str, None]
    """Title of the link."""
    url: Union[str, None]
    """Target."""
    link_type: Union[str, None]
    """The site’s name for the kind of link: `external`, …"""

class PhotoappProfileAnswerMetrics(TypedDict):
    followers: Union[int, None]
    """Followers. Rounded when the page shows only `15.6M`."""
    following: Union[int, None]
    """Accounts followed."""
    posts: Union[int, None]
    """Posts."""

class PhotoappProfileAnswerPagination(TypedDict):
    end_cursor: Union[str, None]
    """Cursor for photoapp-posts."""

class PhotoappProfileInput(TypedDict):
    username: str
    """User name, with or without a leading @."""

class PhotoappReelsAnswer(TypedDict):
    user_id: Union[str, None]
    """Numeric user id, to send with the continuation."""
    reels: List[PhotoappReelsAnswerReels]
    """Reels in the order of the site."""
    pagination: PhotoappReelsAnswerPagination

class PhotoappReelsAnswerPagination(TypedDict):
    has_next_page: bool
    continuation: Union[str, None]
    """Token of the next page; null on the last one."""

class PhotoappReelsAnswerReels(TypedDict):
    id: Union[str, None]
    """Media id."""
    shortcode: Union[str, None]
    """The short code in the reel’s address."""
    display_url: Union[str, None]
    """Poster image."""
    video_url: Union[str, None]
    """Video file. Signed by the site and valid for a few days."""
    likes: Union[int, None]
    """Likes."""
    comments: Union[int, None]
    """Comments."""
    plays: Union[int, None]
    """Plays."""
    timestamp: Union[int, None]
    """Unix seconds."""
    caption: Union[str, None]
    """Caption; null when there is none."""

class PhotoappReelsInput(TypedDict):
    username: NotRequired[str]
    """User name, with or without a leading @."""
    user_id: NotRequired[str]
    """Numeric user id, the `user_id` of the previous response. Required with a token."""
    continuation: NotRequired[str]
    """`pagination.continuation` of the previous response."""
    page_size: NotRequired[int]
    """Reels per page, 1 to 50."""

class PreviewCronAnswer(TypedDict):
    times: List[str]
    note: Union[str, None]
    """What other crons would read differently."""

class PreviewParserAnswer(TypedDict):
    data: Dict[str, Any]
    fields: List[PreviewParserAnswerFields]
    hint: NotRequired[str]
    """What to do when a field found nothing and the page looks as if scripts fill it."""
    explain: NotRequired[Any]

class PreviewParserAnswerFields(TypedDict):
    path: str
    matched: bool
    """Whether a source matched, even if the value could not be converted to its type."""
    value_count: int
    selector: Union[str, None]
    """The source of the value."""
    error: NotRequired[str]
    """Why the field failed or a value was left out."""

class PronetPostAnswer(TypedDict):
    canonical_url: Union[str, None]
    """Address of the post without query."""
    headline: Union[str, None]
    """Title of an article; first sentence of a post."""
    text: Union[str, None]
    """Full text; line breaks are kept."""
    published_at: Union[str, None]
    """ISO 8601 date-time, or only a date when the page has no time."""
    author: PronetPostAnswerAuthor
    reaction_count: Union[float, None]
    """Reactions."""
    comment_count: Union[float, None]
    """Number of comments, often more than are listed."""
    images: List[str]
    """Pictures of the post; empty for a video."""
    comments: List[PronetPostAnswerComments]
    """Comments in the order of the page."""

class PronetPostAnswerAuthor(TypedDict):
    name: Union[str, None]
    """Person or company."""
    url: Union[str, None]
    """Address of the profile."""
    image: Union[str, None]
    """Picture."""

class PronetPostAnswerComments(TypedDict):
    author: Union[str, None]
    """Name."""
    pronet_url: Union[str, None]
    """Address of the commenter’s profile; usually unavailable."""
    text: Union[str, None]
    """Text; empty for a comment with only a picture."""
    date_published: Union[str, None]
    """ISO 8601 date-time."""

class PronetPostInput(TypedDict):
    url: NotRequired[str]
    """Feed or update, post or article address, or a bare activity id."""
    slug: NotRequired[str]
    """Article slug or bare activity id."""

class ProposeParserRepairAnswer(TypedDict):
    schema: Union[ParserSchema, None]
    """Null: nothing could be repaired."""
    version: int
    """The version that it repairs."""
    fields: List[ProposeParserRepairAnswerFields]
    pages: List[str]
    """Kept pages that it learned from."""

class ProposeParserRepairAnswerFields(TypedDict):
    path: str
    state: Union[Literal["kept"], Literal["repaired"], Literal["lost"]]
    """kept: it still works; lost: too few of its earlier values are on the pages."""
    before: Any
    after: Any
    confidence: float
    """From 0 to 1: the estimated chance of a right value on the site’s other pages."""
    reason: str
    verified: Union[ProposeParserRepairAnswerFieldsVerified, None]
    """Number of further kept pages on which the repaired field has a value."""
    examples: List[ProposeParserRepairAnswerFieldsExamples]
    """On up to three pages: the value of the earlier row, and what the proposal reads now."""

class ProposeParserRepairAnswerFieldsExamples(TypedDict):
    url: str
    earlier: Any
    read: Any

class ProposeParserRepairAnswerFieldsVerified(TypedDict):
    pages: int
    filled: int

class PublishRunAnswer(TypedDict):
    id: str
    publication: Union[Literal["none"], Literal["held"], Literal["publishing"], Literal["published"], Literal["discarded"]]
    """What became of removals that were too many to be made unasked; held: they wait for you."""

class ReadPageAnswer(TypedDict):
    url: Union[str, None]
    """Address after redirects; null for html without url."""
    title: Union[str, None]
    language: Union[str, None]
    link_count: int
    headings: List[ReadPageAnswerHeadings]
    blocks: List[ReadPageAnswerBlocks]
    """Repeated records."""
    values: List[ReadPageAnswerValues]
    """Single texts with a selector that is matched once."""
    data: List[ReadPageAnswerData]
    """Structured data. A source is {kind: path + key of values}, or {"json": {script, path}}."""
    meta: List[ReadPageAnswerMeta]
    text: str
    """Visible text of the page."""
    left_out: ReadPageAnswerLeftOut
    """Entries, and characters of text, beyond max_characters."""
    notice: str
    """How to treat texts of the page."""

class ReadPageAnswerBlocks(TypedDict):
    field: Dict[str, Any]
    """A list field for a parser’s schema."""
    count: int
    """Number of records that it matches on this page."""
    samples: List[Any]
    """The first records."""

class ReadPageAnswerData(TypedDict):
    kind: Union[Literal["jsonld"], Literal["microdata"], Literal["json"]]
    script: Union[str, None]
    path: str
    values: Dict[str, str]

class ReadPageAnswerHeadings(TypedDict):
    level: int
    text: str
    selector: Union[str, None]
    """CSS, matched once on this page."""

class ReadPageAnswerLeftOut(TypedDict):
    """Entries, and characters of text, beyond max_characters."""
    headings: int
    blocks: int
    values: int
    data: int
    meta: int
    text: int

class ReadPageAnswerMeta(TypedDict):
    name: str
    content: str

class ReadPageAnswerValues(TypedDict):
    selector: str
    sample: str

class RealtyDetailsAnswer(TypedDict):
    zpid: Union[str, None]
    """Listing identifier; null for a building."""
    address: RealtyDetailsAnswerAddress
    price: Union[float, None]
    """US dollars; per month for a rental; null off the market."""
    zestimate: Union[float, None]
    """The site’s own estimate in US dollars."""
    bedrooms: Union[int, None]
    """Bedrooms."""
    bathrooms: Union[float, None]
    """Bathrooms as the listing counts them."""
    living_area: Union[float, None]
    """Square feet."""
    lot_size: Union[float, None]
    """Square feet."""
    year_built: Union[int, None]
    """Year."""
    home_type: Union[str, None]
    """SINGLE_FAMILY, TOWNHOUSE, CONDO, …"""
    description: Union[str, None]
    """Description."""
    features: List[str]
    """Features listed on the page."""
    photos: List[str]
    """Address of each photo in its largest size, in the order of the page."""
    price_history: List[RealtyDetailsAnswerPriceHistory]
    """Newest first."""
    tax_history: List[RealtyDetailsAnswerTaxHistory]
    """Newest first."""

class RealtyDetailsAnswerAddress(TypedDict):
    street: Union[str, None]
    """Street and number."""
    city: Union[str, None]
    """City."""
    state: Union[str, None]
    """State."""
    zipcode: Union[str, None]
    """Zip code."""

class RealtyDetailsAnswerPriceHistory(TypedDict):
    date: Union[str, None]
    """YYYY-MM-DD."""
    price: Union[float, None]
    """US dollars; null when the event has none."""
    event: Union[str, None]
    """The site’s words: `Listed for sale`, …"""

class RealtyDetailsAnswerTaxHistory(TypedDict):
    year: Union[int, None]
    """Year."""
    tax: Union[float, None]
    """Tax paid in US dollars."""
    assessment: Union[float, None]
    """Assessed value in US dollars."""

class RealtyDetailsInput(TypedDict):
    url: str
    """Address of the listing."""

class RealtySearchAnswer(TypedDict):
    total_results: Union[int, None]
    """Results of the whole search; units, not rows, for rentals."""
    listings: List[RealtySearchAnswerListings]
    """Listings of this page."""
    pagination: RealtySearchAnswerPagination

class RealtySearchAnswerListings(TypedDict):
    zpid: Union[str, None]
    """Listing identifier; null for a building, which has none."""
    address: Union[str, None]
    """Address in one line; null when undisclosed."""
    city: Union[str, None]
    """City."""
    state: Union[str, None]
    """State."""
    zipcode: Union[str, None]
    """Zip code."""
    price: Union[float, None]
    """US dollars; per month for rentals; the lowest unit of a building."""
    bedrooms: Union[int, None]
    """Bedrooms; 0 for a studio."""
    bathrooms: Union[float, None]
    """Bathrooms."""
    living_area: Union[float, None]
    """Square feet."""
    home_type: Union[str, None]
    """SINGLE_FAMILY, TOWNHOUSE, CONDO, APARTMENT, MULTI_FAMILY, MANUFACTURED, LOT, …"""
    listing_status: Union[str, None]
    """FOR_SALE, FOR_RENT, RECENTLY_SOLD, PENDING, …"""
    thumbnail: Union[str, None]
    """Photo."""
    detail_url: Union[str, None]
    """Address of the listing, for realty-details."""

class RealtySearchAnswerPagination(TypedDict):
    next_url: Union[str, None]
    """Address of the next page; null on the last one."""
    has_more: bool

class RealtySearchInput(TypedDict):
    query: NotRequired[str]
    """City, zip or address."""
    next_url: NotRequired[str]
    """`pagination.next_url` of the previous response."""

class RefusedInput(TypedDict):
    index: int
    input: str
    detail: str

class ReleaseQuarantinedRowsAnswer(TypedDict):
    releasing: int
    """Rows that are written within seconds."""

class ResetParserHealthAnswer(TypedDict):
    reset: int
    """Versions whose statistics start again on this host; 0 where none has any."""

class RestoreParserVersionAnswer(TypedDict):
    id: str
    """Identifier of the parser."""
    slug: Union[str, None]
    """Stands wherever the id can."""
    name: str
    description: Union[str, None]
    schema: ParserSchema
    version: int
    """Number of the current version, from 1."""
    scrape_config: ScrapeConfigAnswer
    """How the page is fetched. The price depends on useBrowser, proxy and escalate."""
    created_at: str
    """ISO 8601, UTC, milliseconds."""
    updated_at: str
    """ISO 8601, UTC, milliseconds."""
    changes: List[FieldChange]
    """What the new version reads differently on the samples, field by field."""

class ReturnSink(TypedDict):
    mode: Literal["return"]
    """Results are kept for 24 hours and read through the API."""

class RotateWebhookSecretAnswer(TypedDict):
    secret: str
    """Verifies the webhook-signature header (Standard Webhooks); begins with whsec_."""

class RowChanges(TypedDict):
    """How many rows its writes changed, by kind."""
    new: int
    changed: int
    removed: int
    returned: int

class RunCounts(TypedDict):
    """Always pending + running + succeeded + failed + cancelled."""
    total: int
    pending: int
    running: int
    succeeded: int
    failed: int
    cancelled: int
    waiting_for_sink: int
    """The pending or running tasks that are fetched and extracted, and wait for the sink’s database."""
    rows_kept: int
    """Written rows in which a value of an earlier fetch stayed, with `sink.nulls: "keep"`."""

class RunCredits(TypedDict):
    reserved: int
    used: int

class RunSource(TypedDict):
    sitemap: NotRequired[str]
    feed: NotRequired[str]
    status: Union[Literal["reading"], Literal["read"], Literal["failed"], Literal["cancelled"]]
    """The run has no inputs before its source is `read`."""
    files: Union[int, None]
    """Files that were read; null until then, as the other counts."""
    entries: Union[int, None]
    """Addresses that the files give, each file for itself."""
    left_out: Union[int, None]
    """Entries without an address of http or https."""
    error: Union[str, None]
    """Why the run failed."""

ScrapeAnswer = Dict[str, Any]

ScrapeAsJsonAnswer = Dict[str, Any]

class ScrapeConfig(TypedDict):
    """How the page is fetched. The price depends on useBrowser, proxy and escalate."""
    useBrowser: NotRequired[bool]
    """Load the page in a browser and run its scripts."""
    waitSeconds: NotRequired[float]
    """Wait this long after the page has loaded."""
    waitForBrowser: NotRequired[str]
    """CSS selector to wait for in the browser. Does not set useBrowser."""
    proxy: NotRequired[str]
    """Proxy tier: default, highquality, hardcore, premium or premium:<country code>."""
    escalate: NotRequired[Union[Literal["browser"], Literal["proxy"], Literal["both"]]]
    """Read a page that is blocked, or that scripts fill, by a dearer way. Only the way that gave the data is charged; the dearest is reserved."""
    maxPrice: NotRequired[int]
    """With escalate: the most credits of one page."""
    hostDelaySeconds: NotRequired[float]
    """Runs only: at least this long between two pages asked of one host, over all workers."""
    hostConcurrency: NotRequired[int]
    """Runs only: the most pages asked of one host at once, over all workers."""
    timeoutSeconds: NotRequired[float]
    """Time limit of one fetch attempt. Default 60, plus waitSeconds. All attempts together take at most 120 seconds."""
    headers: NotRequired[Dict[str, str]]
    """Request headers to send to the target."""
    cookies: NotRequired[Dict[str, str]]
    """Cookies to send to the target."""
    country: NotRequired[str]
    """Country for proxy tiers with {country} in their URLs."""
    blockResources: NotRequired[bool]
    """Browser only: skip images, media and fonts. Default true."""
    composed: NotRequired[bool]
    """Read shadow roots and frames of the site. Default true."""
    actions: NotRequired[Sequence[Action]]
    """Browser only: up to 20 steps after loading: {"click": css, "until"?: "gone"}, {"type": {"into": css, "text": t}}, {"press": key}, {"select": {"in": css, "value": v}}, {"scroll": css | "end", "until"?: "stable"}, {"wait": css | seconds}."""
    screenshot: NotRequired[Screenshot]
    """How {"page": "screenshot"} is drawn: {"type": "png" | "jpeg", "fullPage": true, "selector": css}."""
    respectRobots: NotRequired[bool]
    """Follow robots.txt. Default false."""
    retries: NotRequired[int]
    """Further attempts after a temporary failure. Default 2."""

class ScrapeConfigAnswer(TypedDict):
    """How the page is fetched. The price depends on useBrowser, proxy and escalate."""
    useBrowser: NotRequired[bool]
    """Load the page in a browser and run its scripts."""
    waitSeconds: NotRequired[float]
    """Wait this long after the page has loaded."""
    waitForBrowser: NotRequired[str]
    """CSS selector to wait for in the browser. Does not set useBrowser."""
    proxy: NotRequired[str]
    """Proxy tier: default, highquality, hardcore, premium or premium:<country code>."""
    escalate: NotRequired[Union[Literal["browser"], Literal["proxy"], Literal["both"]]]
    """Read a page that is blocked, or that scripts fill, by a dearer way. Only the way that gave the data is charged; the dearest is reserved."""
    maxPrice: NotRequired[int]
    """With escalate: the most credits of one page."""
    hostDelaySeconds: NotRequired[float]
    """Runs only: at least this long between two pages asked of one host, over all workers."""
    hostConcurrency: NotRequired[int]
    """Runs only: the most pages asked of one host at once, over all workers."""
    timeoutSeconds: NotRequired[float]
    """Time limit of one fetch attempt. Default 60, plus waitSeconds. All attempts together take at most 120 seconds."""
    headers: NotRequired[Dict[str, str]]
    """Request headers to send to the target."""
    cookies: NotRequired[Dict[str, str]]
    """Cookies to send to the target."""
    country: NotRequired[str]
    """Country for proxy tiers with {country} in their URLs."""
    blockResources: NotRequired[bool]
    """Browser only: skip images, media and fonts. Default true."""
    composed: NotRequired[bool]
    """Read shadow roots and frames of the site. Default true."""
    actions: NotRequired[List[Action]]
    """Browser only: up to 20 steps after loading: {"click": css, "until"?: "gone"}, {"type": {"into": css, "text": t}}, {"press": key}, {"select": {"in": css, "value": v}}, {"scroll": css | "end", "until"?: "stable"}, {"wait": css | seconds}."""
    screenshot: NotRequired[ScreenshotAnswer]
    """How {"page": "screenshot"} is drawn: {"type": "png" | "jpeg", "fullPage": true, "selector": css}."""
    respectRobots: NotRequired[bool]
    """Follow robots.txt. Default false."""
    retries: NotRequired[int]
    """Further attempts after a temporary failure. Default 2."""

ScrapeWithSchemaAnswer = Dict[str, Any]

class Screenshot(TypedDict):
    """How {"page": "screenshot"} is drawn: {"type": "png" | "jpeg", "fullPage": true, "selector": css}."""
    type: NotRequired[Union[Literal["png"], Literal["jpeg"]]]
    fullPage: NotRequired[bool]
    """At most 15,000 pixels."""
    selector: NotRequired[str]
    """Capture only this element."""

class ScreenshotAnswer(TypedDict):
    """How {"page": "screenshot"} is drawn: {"type": "png" | "jpeg", "fullPage": true, "selector": css}."""
    type: Union[Literal["png"], Literal["jpeg"]]
    fullPage: bool
    """At most 15,000 pixels."""
    selector: NotRequired[str]
    """Capture only this element."""

class ShortvideoProfileAnswer(TypedDict):
    identity: ShortvideoProfileAnswerIdentity
    stats: ShortvideoProfileAnswerStats
    privacy: ShortvideoProfileAnswerPrivacy
    commerce: ShortvideoProfileAnswerCommerce

class ShortvideoProfileAnswerCommerce(TypedDict):
    commerce_user: Union[bool, None]
    """Whether it is a business account."""
    tt_seller: Union[bool, None]
    """Whether it sells on the network."""

class ShortvideoProfileAnswerIdentity(TypedDict):
    user_id: Union[str, None]
    """Numeric user id."""
    unique_id: Union[str, None]
    """User name in its stored spelling."""
    nickname: Union[str, None]
    """Display name."""
    bio: Union[str, None]
    """Biography; empty when there is none."""
    verified: Union[bool, None]
    """Whether the account is verified."""
    avatar_large: Union[str, None]
    """Largest avatar. Signed by the site; expires."""
    bio_link: Union[str, None]
    """Link of the biography, often without a scheme."""
    profile_url: Union[str, None]
    """Address of the profile."""

class ShortvideoProfileAnswerPrivacy(TypedDict):
    private_account: Union[bool, None]
    """Whether only followers see the videos."""
    comment_setting: Union[int, None]
    """0 everyone, 1 friends, 3 nobody."""

class ShortvideoProfileAnswerStats(TypedDict):
    follower_count: Union[int, None]
    """Followers."""
    following_count: Union[int, None]
    """Accounts followed."""
    heart_count: Union[int, None]
    """Likes received."""
    video_count: Union[int, None]
    """Videos."""

class ShortvideoProfileInput(TypedDict):
    username: str
    """User name, with or without a leading @."""

class ShortvideoVideoAnswer(TypedDict):
    id: Union[str, None]
    """Video id."""
    description: Union[str, None]
    """Text of the post, hashtags and mentions included."""
    create_time: Union[int, None]
    """Unix seconds."""
    author: ShortvideoVideoAnswerAuthor
    stats: ShortvideoVideoAnswerStats
    video: ShortvideoVideoAnswerVideo
    music: ShortvideoVideoAnswerMusic

class ShortvideoVideoAnswerAuthor(TypedDict):
    id: Union[str, None]
    """Numeric user id."""
    unique_id: Union[str, None]
    """User name."""
    nickname: Union[str, None]
    """Display name."""
    verified: Union[bool, None]
    """Whether the author is verified."""

class ShortvideoVideoAnswerMusic(TypedDict):
    id: Union[str, None]
    """Sound id."""
    title: Union[str, None]
    """Title of the sound."""
    author: Union[str, None]
    """Author of the sound."""

class ShortvideoVideoAnswerStats(TypedDict):
    play_count: Union[int, None]
    """Plays."""
    like_count: Union[int, None]
    """Likes."""
    comment_count: Union[int, None]
    """Comments."""
    share_count: Union[int, None]
    """Shares."""

class ShortvideoVideoAnswerVideo(TypedDict):
    duration: Union[int, None]
    """Seconds; 0 for a photo post."""
    cover: Union[str, None]
    """Cover image. Signed by the site; expires."""
    play_url: Union[str, None]
    """Video file, playable only with the cookies of the same visit; null for a photo post."""

class ShortvideoVideoInput(TypedDict):
    url: str
    """Address of the video, or its short link."""

Sink = Union["ReturnSink", "DatabaseSink"]

SinkAnswer = Union["ReturnSink", "DatabaseSinkAnswer"]

class Source(TypedDict):
    """For parsers, instead of inputs: what it names, each address once. Reading is free; when a part can’t be read the run fails."""
    sitemap: NotRequired[str]
    """A sitemap, an index of them or lines of addresses."""
    feed: NotRequired[str]
    """RSS, Atom or JSON Feed."""

Stage = Union["Stage2", "Stage3"]

Stage2 = TypedDict("Stage2", {
    "name": "str",
    "target": "Target",
    "from": "NotRequired[Union[StageFrom, Sequence[StageFrom]]]",
    "scrape_config": "NotRequired[ScrapeConfig]",
    "sink": "NotRequired[StageSink]",
    "limit": "NotRequired[int]",
})

class Stage3(TypedDict):
    """Reads a site, from the addresses that the run is given. Only the first stage can."""
    name: str
    """Unique in the workflow."""
    crawl: Crawl
    """Which pages the crawl fetches."""
    routes: Sequence[CrawlRoute]
    """Which parser reads which pages. Pages without a route are fetched for their links alone."""
    scrape_config: NotRequired[ScrapeConfig]
    """How its pages are fetched, whatever their route."""
    limit: NotRequired[int]
    """Maximum pages of one run. Default: 1,000."""

StageAnswer = Union["StageAnswer2", "StageAnswer3"]

StageAnswer2 = TypedDict("StageAnswer2", {
    "name": "str",
    "target": "Target",
    "from": "NotRequired[Union[StageFrom, List[StageFrom]]]",
    "scrape_config": "NotRequired[ScrapeConfigAnswer]",
    "sink": "NotRequired[StageSinkAnswer]",
    "limit": "NotRequired[int]",
})

class StageAnswer3(TypedDict):
    """Reads a site, from the addresses that the run is given. Only the first stage can."""
    name: str
    """Unique in the workflow."""
    crawl: CrawlAnswer
    """Which pages the crawl fetches."""
    routes: List[CrawlRouteAnswer]
    """Which parser reads which pages. Pages without a route are fetched for their links alone."""
    scrape_config: NotRequired[ScrapeConfigAnswer]
    """How its pages are fetched, whatever their route."""
    limit: NotRequired[int]
    """Maximum pages of one run. Default: 1,000."""

StageFrom = TypedDict("StageFrom", {
    "stage": "NotRequired[str]",
    "route": "NotRequired[str]",
    "path": "str",
    "as": "NotRequired[str]",
})

StageSink = Union["ReturnSink", "StageSink2"]

class StageSink2(TypedDict):
    mode: Literal["database"]
    """Each result is written as rows of a table."""
    database: str
    """Id or slug of the database."""
    table: str
    """Table name; the table is created on first write."""
    key: NotRequired[Sequence[str]]
    """Columns that identify a row: a later row with the same key updates the earlier one. Default: the parser’s fields with `key`, else `_url`; for prebuilt APIs their natural identifier."""
    rows: NotRequired[str]
    """Path to a list of objects in the data: each element becomes one row."""
    contract: NotRequired[Union[Literal["evolve"], Literal["freeze"], Literal["discard"]]]
    """How a field without a column is handled: evolve adds the column, freeze fails the task, discard omits the field."""
    nulls: NotRequired[Union[Literal["keep"], Literal["overwrite"]]]
    """keep: a null never overwrites a value; overwrite: the new row replaces the old one, with its nulls."""
    types: NotRequired[Dict[str, str]]
    """Types of new columns: `{"price": "numeric(10,2)"}`."""
    history: NotRequired[bool]
    """Keep the changes of the table, which this sink makes: `GET …/changes` reads them."""
    volatile: NotRequired[Sequence[str]]
    """Columns that alone make no change, such as a count of visitors."""
    missing: NotRequired[Union[Literal["keep"], Literal["mark"], Literal["delete"]]]
    """What becomes of rows that their pages give no more: `mark` sets `_removed_at`, `delete` deletes them."""
    expect: NotRequired[StageSink2Expect]
    """What a run may do to the table without being asked."""
    on_drift: NotRequired[Union[Literal["quarantine"], Literal["pause"]]]
    """When the parser seems broken: quarantine holds suspect rows back and does not write them; pause also stops the run or the cron. Default: rows are written."""
    carry: NotRequired[Dict[str, str]]
    """Further columns, from the results that this one came from: `{"category": "$.stages.list.category"}`. Of several values it takes the one nearest to the link that was followed."""

class StageSink2Expect(TypedDict):
    """What a run may do to the table without being asked."""
    removed: NotRequired[float]
    """Removals of more than this share of the rows that earlier runs gave wait for you. Default 0.3."""

StageSinkAnswer = Union["ReturnSink", "StageSinkAnswer2"]

class StageSinkAnswer2(TypedDict):
    mode: Literal["database"]
    """Each result is written as rows of a table."""
    database: str
    """Id or slug of the database."""
    table: str
    """Table name; the table is created on first write."""
    key: NotRequired[List[str]]
    """Columns that identify a row: a later row with the same key updates the earlier one. Default: the parser’s fields with `key`, else `_url`; for prebuilt APIs their natural identifier."""
    rows: NotRequired[str]
    """Path to a list of objects in the data: each element becomes one row."""
    contract: Union[Literal["evolve"], Literal["freeze"], Literal["discard"]]
    """How a field without a column is handled: evolve adds the column, freeze fails the task, discard omits the field."""
    nulls: Union[Literal["keep"], Literal["overwrite"]]
    """keep: a null never overwrites a value; overwrite: the new row replaces the old one, with its nulls."""
    types: NotRequired[Dict[str, str]]
    """Types of new columns: `{"price": "numeric(10,2)"}`."""
    history: NotRequired[bool]
    """Keep the changes of the table, which this sink makes: `GET …/changes` reads them."""
    volatile: NotRequired[List[str]]
    """Columns that alone make no change, such as a count of visitors."""
    missing: NotRequired[Union[Literal["keep"], Literal["mark"], Literal["delete"]]]
    """What becomes of rows that their pages give no more: `mark` sets `_removed_at`, `delete` deletes them."""
    expect: NotRequired[StageSinkAnswer2Expect]
    """What a run may do to the table without being asked."""
    on_drift: NotRequired[Union[Literal["quarantine"], Literal["pause"]]]
    """When the parser seems broken: quarantine holds suspect rows back and does not write them; pause also stops the run or the cron. Default: rows are written."""
    carry: NotRequired[Dict[str, str]]
    """Further columns, from the results that this one came from: `{"category": "$.stages.list.category"}`. Of several values it takes the one nearest to the link that was followed."""

class StageSinkAnswer2Expect(TypedDict):
    """What a run may do to the table without being asked."""
    removed: NotRequired[float]
    """Removals of more than this share of the rows that earlier runs gave wait for you. Default 0.3."""

class StageSinkAnswerExpect(TypedDict):
    """What a run may do to the table without being asked."""
    removed: NotRequired[float]
    """Removals of more than this share of the rows that earlier runs gave wait for you. Default 0.3."""

class StageSinkExpect(TypedDict):
    """What a run may do to the table without being asked."""
    removed: NotRequired[float]
    """Removals of more than this share of the rows that earlier runs gave wait for you. Default 0.3."""

class StageState(TypedDict):
    name: str
    status: Union[Literal["pending"], Literal["running"], Literal["succeeded"], Literal["failed"], Literal["cancelled"]]
    mode: Union[Literal["return"], Literal["database"]]
    run_id: str
    """What its rows have as `_run_id`."""
    sink: Dict[str, Any]
    """Where the results go, as submitted."""
    rows: Union[RowChanges, None]
    """Null when none of its tables keeps its changes, and before the first row."""
    counts: RunCounts
    """Always pending + running + succeeded + failed + cancelled."""
    waiting: int
    """Inputs that wait for credits. They are not part of the total yet."""
    duplicates: int
    """Inputs that the stage had already."""
    refused: int
    """Values that are no valid input: not a URL, a missing parameter."""
    over_limit: int
    """Inputs beyond the limit on tasks."""
    dropped: int
    """Inputs that never began: credits were lacking, or the run was cancelled."""
    credits: RunCredits
    ways: NotRequired[List[WayCount]]
    """With `escalate`, of one run and not of a list: how its first 50,000 successes came, and what they cost."""
    crawl: Union[StageStateCrawl, None]
    """Of a stage that crawls; its `counts` are those of the pages. Null for other stages."""
    started_at: Union[str, None]
    finished_at: Union[str, None]

class StageStateCrawl(TypedDict):
    page_limit: int
    """Most pages: `limits.pages`, or `limit` of the stage."""
    folders: Union[List[str], None]
    """With `scope: "path"`: the folders that it reads, the first 100. Null for other scopes."""
    duplicates: int
    """Addresses of pages that count under another address."""
    over_limit: int
    """Addresses that were found and are beyond the limit on pages."""
    unfollowed_pages: int
    """Pages at the greatest depth with links to pages that the crawl did not reach otherwise: more depth, or `next` for the links between pages of a list, reaches those."""
    sources: Union[RunCounts, None]
    """robots.txt files, sitemaps and feeds; null without any."""
    routes: List[StageStateCrawlRoutes]
    """Pages of the routes that extract data, which are among those of the stage."""

class StageStateCrawlRoutes(TypedDict):
    name: str
    mode: Union[Literal["return"], Literal["database"]]
    run_id: str
    """What its rows have as `_run_id`."""
    sink: Dict[str, Any]
    """Where the results go, as submitted."""
    rows: Union[RowChanges, None]
    """Null when none of its tables keeps its changes, and before the first row."""
    counts: RunCounts
    """Always pending + running + succeeded + failed + cancelled."""

class SuggestParserAnswer(TypedDict):
    schema: Union[Dict[str, Any], None]
    """The extraction schema; null when no field was found."""
    fields: List[SuggestParserAnswerFields]

class SuggestParserAnswerFields(TypedDict):
    path: str
    """`price`, and `items.price` for a column of a list."""
    confidence: float
    """From 0 to 1: the estimated chance of a right value on the site’s other pages."""
    reason: str
    """Why this way was chosen, or why none was."""
    alternatives: List[SuggestParserAnswerFieldsAlternatives]
    """Up to five other ways to read the field, best first."""
    missed: List[SuggestParserAnswerFieldsMissed]
    """Pages whose example the schema does not give."""

class SuggestParserAnswerFieldsAlternatives(TypedDict):
    field: Any
    reason: str
    confidence: float
    """From 0 to 1: the estimated chance of a right value on the site’s other pages."""

class SuggestParserAnswerFieldsMissed(TypedDict):
    page: int
    """Position in `pages`, from 0."""
    reason: str

class SuggestParserInputPages(TypedDict):
    html: NotRequired[str]
    """The page, at most 16 MB."""
    url: NotRequired[str]
    """Page to fetch; with `html`: the address that it came from."""
    examples: NotRequired[Dict[str, Union[Union[str, float, bool, None], Sequence[Union[Union[str, float, bool, None], Dict[str, Union[str, float, bool, None]]]], Dict[str, Union[Union[str, float, bool, None], Sequence[Union[Union[str, float, bool, None], Dict[str, Union[str, float, bool, None]]]]]]]]]
    """Values by field name: a text as a person sees it, a number in any form, an attribute’s value, null where the page has none; a list of values, or of objects for rows (two are enough); an object for a group. A field that is left out is not known on this page."""

class TableColumn(TypedDict):
    name: str
    type: str
    """Postgres type."""
    nullable: bool

class TableHistory(TypedDict):
    volatile: List[str]
    """Columns that alone make no change."""
    missing: Union[Literal["keep"], Literal["mark"], Literal["delete"]]

Target = Union["ParserTarget", "ApiTarget"]

class TaskPhases(TypedDict):
    pause_ms: NotRequired[int]
    """Pauses before the last attempt, which the host asked for or which follow a failure."""
    host_wait_ms: NotRequired[int]
    """Waiting until the host may be asked."""
    connect_ms: NotRequired[int]
    """Waiting for a connection: DNS, TCP and TLS, or an open one."""
    first_byte_ms: NotRequired[int]
    """Time until the response began; through a proxy it includes the connection."""
    download_ms: NotRequired[int]
    """Reading the response."""
    render_ms: NotRequired[int]
    """In a browser: from opening the page to its document, all requests included."""
    parse_ms: NotRequired[int]
    """Extracting the data, including the wait for a thread."""

class UpdateParserAnswer(TypedDict):
    id: str
    """Identifier of the parser."""
    slug: Union[str, None]
    """Stands wherever the id can."""
    name: str
    description: Union[str, None]
    schema: ParserSchema
    version: int
    """Number of the current version, from 1."""
    scrape_config: ScrapeConfigAnswer
    """How the page is fetched. The price depends on useBrowser, proxy and escalate."""
    created_at: str
    """ISO 8601, UTC, milliseconds."""
    updated_at: str
    """ISO 8601, UTC, milliseconds."""
    changes: List[FieldChange]
    """What the new version reads differently on the samples, field by field."""

class UpdateTableAnswer(TypedDict):
    name: str
    columns: List[TableColumn]
    key: List[str]
    """Columns that identify a row; empty when the table has no unique key without nulls."""
    rows: Union[int, None]
    """Number of rows: exact up to 100,000, beyond that an estimate; null without one."""
    rows_exact: bool
    history: Union[TableHistory, None]
    """What the table keeps of its changes; null when it keeps none."""
    cursor: Union[str, None]
    """The end of the feed, for `after` of `GET …/changes`; null without history."""

Usage = TypedDict("Usage", {
    "from": "str",
    "key_id": "NotRequired[str]",
    "parser_id": "NotRequired[str]",
    "cron_id": "NotRequired[str]",
    "host": "NotRequired[str]",
    "pages": "UsagePages",
    "credits": "int",
    "rows": "UsageRows",
})

class UsagePages(TypedDict):
    succeeded: int
    failed: int
    unchanged: int
    """0: no page is left out yet."""

class UsageRows(TypedDict):
    """Rows of tables that keep their changes; `new` has those that returned. They are on lines without a host."""
    new: int
    changed: int
    removed: int

class VideositeChannelShortsAnswer(TypedDict):
    channel_id: Union[str, None]
    """Channel identifier."""
    shorts: List[VideositeChannelShortsAnswerShorts]
    """Shorts of this page."""
    pagination: VideositePagination

class VideositeChannelShortsAnswerShorts(TypedDict):
    id: Union[str, None]
    """Video id, 11 characters."""
    title: Union[str, None]
    """Title."""
    thumbnail: Union[str, None]
    """Largest thumbnail."""
    view_count: Union[int, None]
    """Views, expanded from the rounded `895k`. Null for members-only shorts."""

class VideositeChannelShortsInput(TypedDict):
    channel_id: NotRequired[str]
    """Channel identifier beginning with UC."""
    continuation: NotRequired[str]
    """`pagination.continuation` of the previous response."""

class VideositeChannelVideosAnswer(TypedDict):
    channel_id: Union[str, None]
    """Channel identifier."""
    videos: List[VideositeChannelVideosAnswerVideos]
    """Videos of this page."""
    pagination: VideositePagination

class VideositeChannelVideosAnswerVideos(TypedDict):
    id: Union[str, None]
    """Video id, 11 characters."""
    title: Union[str, None]
    """Title."""
    thumbnail: Union[str, None]
    """Largest thumbnail."""
    view_count: Union[int, None]
    """Views; expanded from `26k` where the page rounds them. Null while live or upcoming and for members-only videos."""
    published_at: Union[str, None]
    """The words on the page: `3 days ago`."""
    duration: Union[str, None]
    """Clock text: `9:36`, `1:02:03`."""

class VideositeChannelVideosInput(TypedDict):
    channel_id: NotRequired[str]
    """Channel identifier beginning with UC."""
    continuation: NotRequired[str]
    """`pagination.continuation` of the previous response."""

class VideositePagination(TypedDict):
    continuation: Union[str, None]
    """Token of the next page; null on the last one."""
    has_more: bool

class VideositeSearchAnswer(TypedDict):
    results: List[VideositeSearchAnswerResults]
    """Results in the order of the page."""
    pagination: VideositePagination

class VideositeSearchAnswerResults(TypedDict):
    type: Union[str, None]
    """video, short, channel, playlist, mix, podcast, album, movie or show."""
    id: Union[str, None]
    """Id of the video, channel or playlist."""
    title: Union[str, None]
    """Title, or the channel’s name."""
    thumbnail: Union[str, None]
    """Largest thumbnail."""
    channel: Union[str, None]
    """Name of the channel."""
    view_count: Union[int, None]
    """Views; null for other types and while live or upcoming."""
    published_at: Union[str, None]
    """The words on the page: `3 days ago`."""
    duration: Union[str, None]
    """Clock text: `9:36`."""

class VideositeSearchInput(TypedDict):
    query: NotRequired[str]
    """Search query."""
    continuation: NotRequired[str]
    """`pagination.continuation` of the previous response."""

class VideositeVideoAnswer(TypedDict):
    id: Union[str, None]
    """Video id, 11 characters."""
    title: Union[str, None]
    """Title in the original language."""
    description: Union[str, None]
    """Description; can be empty."""
    channel: VideositeVideoAnswerChannel
    metrics: VideositeVideoAnswerMetrics
    published_at: Union[str, None]
    """ISO 8601 date or date-time, as on the page."""
    duration: Union[str, None]
    """Clock text: `9:36`; null while live or upcoming."""
    thumbnail: Union[str, None]
    """Largest thumbnail."""
    tags: List[str]
    """Keywords from the uploader."""
    category: Union[str, None]
    """Category in English."""

class VideositeVideoAnswerChannel(TypedDict):
    id: Union[str, None]
    """Channel identifier."""
    name: Union[str, None]
    """Name of the channel."""
    url: Union[str, None]
    """Address of the channel."""

class VideositeVideoAnswerMetrics(TypedDict):
    view_count: Union[int, None]
    """Views."""
    like_count: Union[int, None]
    """Likes; null when they are disabled."""
    comment_count: Union[int, None]
    """Comments, expanded from `684K` where the page rounds them; null when disabled."""

class VideositeVideoInput(TypedDict):
    video_id: NotRequired[str]
    """Video id, 11 characters."""
    url: NotRequired[str]
    """Address of the video: watch, short link, shorts, live or embed form."""

class WaitingTasks(TypedDict):
    tasks: int
    reason: str
    """Why the first of them waits, such as a host that asked for a pause."""
    until: str
    """When the first of them is tried again."""

class WayCount(TypedDict):
    fetched_by: str
    pages: int
    credits: int

class Webhook(TypedDict):
    id: str
    slug: Union[str, None]
    """Stands wherever the id can."""
    url: str
    events: List[Union[Literal["job.finished"], Literal["batch.finished"], Literal["workflow_run.finished"], Literal["cron.fired"], Literal["cron.failed"], Literal["credits.low"], Literal["parser.drift"], Literal["rows.changed"]]]
    filter: ChangeFilter
    """Which changed rows `rows.changed` reports."""
    enabled: bool
    disabled_reason: Union[str, None]
    paused_until: Union[str, None]
    """After several failures in a row: no delivery begins before. Null when its deliveries arrive."""
    created_at: str
    """ISO 8601, UTC, milliseconds."""
    updated_at: str
    """ISO 8601, UTC, milliseconds."""

class WebhookDelivery(TypedDict):
    id: str
    """The webhook-id header: the same for every attempt."""
    webhook_id: Union[str, None]
    """The webhook or alert. Null when the URL is the `webhook_url` of a run."""
    run_id: Union[str, None]
    """The job, batch or workflow run of the event."""
    url: str
    event: str
    payload: Any
    """The body of the request."""
    status: Union[Literal["pending"], Literal["delivered"], Literal["failed"]]
    attempts: int
    next_attempt_at: Union[str, None]
    response_status: Union[int, None]
    """HTTP status of the last attempt."""
    response_body: Union[str, None]
    """Beginning of the last response body."""
    error: Union[str, None]
    """Why the last attempt failed."""
    created_at: str
    """ISO 8601, UTC, milliseconds."""
    attempted_at: Union[str, None]
    delivered_at: Union[str, None]

class Workflow(TypedDict):
    id: str
    """Identifier of the workflow."""
    slug: Union[str, None]
    """Stands wherever the id can."""
    name: str
    description: Union[str, None]
    version: int
    """Grows with each change of stages or limits. A run keeps the one it started with."""
    stages: List[StageAnswer]
    """In order: a stage takes results of stages before it, or its own."""
    limits: WorkflowLimits
    """Limits of one run."""
    created_at: str
    """ISO 8601, UTC, milliseconds."""
    updated_at: str
    """ISO 8601, UTC, milliseconds."""

class WorkflowLimits(TypedDict):
    """Limits of one run."""
    tasks: NotRequired[int]
    """Maximum tasks of all stages. Default: 1,000,000."""
    credits: NotRequired[int]
    """Maximum credits that one run may charge."""

class WorkflowRun(TypedDict):
    id: str
    """Identifier of the workflow run."""
    kind: Union[Literal["workflow"], Literal["crawl"], Literal["map"]]
    workflow_id: Union[str, None]
    """Null for crawls and maps."""
    workflow_version: Union[int, None]
    name: Union[str, None]
    """That of the workflow when the run started, or of the crawl."""
    status: Union[Literal["pending"], Literal["running"], Literal["succeeded"], Literal["failed"], Literal["cancelled"]]
    has_failures: bool
    """Whether inputs failed, whatever the state."""
    held: int
    """Rows that are held back and wait for a decision."""
    rows: Union[RowChanges, None]
    """Null when none of its tables keeps its changes, and before the first row."""
    publication: Union[Literal["none"], Literal["held"], Literal["publishing"], Literal["published"], Literal["discarded"]]
    """What became of removals that were too many to be made unasked; held: they wait for you."""
    held_removals: List[HeldRemoval]
    """Removals that wait: publish or discard them."""
    paused: Union[PauseOfRun, None]
    """Why inputs wait."""
    waiting: Union[WaitingTasks, None]
    """Failed tasks that wait for their next attempt. Null when none does."""
    counts: RunCounts
    """Counts of all stages together."""
    credits: RunCredits
    source: Union[RunSource, None]
    """Null when the run was given its inputs."""
    since: Union[str, None]
    """With `source`: a time, or `last_run` in a run of a cron. Null: all that the source names."""
    carry: Union[Dict[str, str], None]
    """Names of the values of the inputs that it keeps, by column; null: none."""
    stages: List[StageState]
    created_at: str
    """ISO 8601, UTC, milliseconds."""
    started_at: Union[str, None]
    finished_at: Union[str, None]
    expires_at: Union[str, None]
    """When results are removed, 24 hours after the end; null before, and without results to read."""
