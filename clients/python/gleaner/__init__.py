"""The client of Gleaner, a self-hosted web data extraction platform. No dependency, Python 3.10 and newer."""

from . import types
from ._client import AsyncBatchRun, AsyncClient, BatchRun, Client
from ._download import Download
from ._errors import GleanerError
from ._events import ServerEvent
from ._frames import to_pandas
from ._listing import Listing
from ._multipart import File
from ._route import UNSET, CallOptions, Facts
from ._routes import VERSION as __version__
from ._table import AsyncChanges, AsyncTable, Changes, Table
from ._threads import AsyncDownload, AsyncListing
from ._wait import WaitOptions
from ._webhooks import WebhookEvent, verify_webhook

__all__ = [
    "AsyncBatchRun",
    "AsyncChanges",
    "AsyncClient",
    "AsyncDownload",
    "AsyncListing",
    "AsyncTable",
    "BatchRun",
    "CallOptions",
    "Changes",
    "Client",
    "Download",
    "Facts",
    "File",
    "GleanerError",
    "Listing",
    "ServerEvent",
    "Table",
    "UNSET",
    "WaitOptions",
    "WebhookEvent",
    "__version__",
    "to_pandas",
    "types",
    "verify_webhook",
]
