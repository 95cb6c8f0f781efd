from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from typing import Any, Callable, Dict, Mapping, Optional, Sequence, TypedDict, Union

from ._errors import GleanerError


class WebhookEvent(TypedDict):
    """The body of a webhook; see docs/use/webhooks.md."""

    type: str
    #: ISO 8601, UTC.
    timestamp: str
    data: Dict[str, Any]


def _invalid(detail: str) -> GleanerError:
    return GleanerError(0, "invalid webhook", detail=detail)


def _decode(text: str) -> Optional[bytes]:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None


def verify_webhook(
    body: Union[str, bytes],
    headers: Mapping[str, str],
    secrets: Union[str, Sequence[str]],
    *,
    tolerance: float = 300,
    now: Callable[[], float] = time.time,
) -> WebhookEvent:
    """
    Verifies that the service sent a webhook (Standard Webhooks), and returns its event.

    @param body the raw body: the signature of one that was parsed and written again would not match
    @param secrets `whsec_…` of the webhook; several during a replacement
    @param tolerance the most seconds between the time of sending and now
    @raises GleanerError `invalid webhook`
    """
    known = {name.lower(): value for name, value in headers.items()}

    def header(name: str) -> str:
        value = known.get(name)
        if not value:
            raise _invalid(f"the header {name} is missing")
        return value

    sent_at = header("webhook-timestamp")
    if re.fullmatch(r"[0-9]{1,12}", sent_at) is None:
        raise _invalid("webhook-timestamp is not a number of seconds")
    if abs(now() - int(sent_at)) > tolerance:
        raise _invalid("webhook-timestamp is too far from the current time")
    raw = body.encode() if isinstance(body, str) else body
    signed = f"{header('webhook-id')}.{sent_at}.".encode() + raw
    given = [_decode(part[3:]) for part in header("webhook-signature").split(" ") if part.startswith("v1,")]
    for secret in [secrets] if isinstance(secrets, str) else secrets:
        key = _decode(secret[6:] if secret.startswith("whsec_") else secret)
        if not key:
            raise _invalid("the secret is not base64 after whsec_")
        expected = hmac.new(key, signed, hashlib.sha256).digest()
        for signature in given:
            if signature is not None and hmac.compare_digest(signature, expected):
                try:
                    event: WebhookEvent = json.loads(raw)
                except ValueError as error:
                    raise _invalid("the body is not JSON") from error
                return event
    raise _invalid("no signature matches")
