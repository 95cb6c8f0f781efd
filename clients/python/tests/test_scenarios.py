"""The scenarios that both clients run: clients/scenarios.json."""

from __future__ import annotations

import asyncio
import json
import re
import unittest
from pathlib import Path
from typing import Any, Dict, List

from gleaner import AsyncClient, Client, GleanerError, verify_webhook

from .service import Service

SCENARIOS = json.loads((Path(__file__).parents[2] / "scenarios.json").read_text())


def snake(name: str) -> str:
    return re.sub(r"[A-Z]", lambda letter: "_" + letter.group().lower(), name)


def sorted_url(url: str) -> str:
    """The order of a query's parts says nothing."""
    path, _, query = url.partition("?")
    return f"{path}?{'&'.join(sorted(query.split('&')))}"


def run(client: Client, scenario: Dict[str, Any]) -> Any:
    if "list" in scenario:
        group, method = scenario["list"]["method"].split(".")
        act = getattr(getattr(client, snake(group)), snake(method))
        return list(act(*scenario["list"]["params"], **scenario["list"]["query"]))
    if "wait" in scenario:
        return getattr(client, scenario["wait"]["group"]).wait_for(scenario["wait"]["id"])
    call = scenario["call"]
    return client.call(call["id"], *call.get("params", {}).values(), query=call.get("query"), body=call.get("body"))


async def run_async(client: AsyncClient, scenario: Dict[str, Any]) -> Any:
    if "list" in scenario:
        group, method = scenario["list"]["method"].split(".")
        act = getattr(getattr(client, snake(group)), snake(method))
        return [item async for item in act(*scenario["list"]["params"], **scenario["list"]["query"])]
    if "wait" in scenario:
        return await getattr(client, scenario["wait"]["group"]).wait_for(scenario["wait"]["id"])
    call = scenario["call"]
    return await client.call(
        call["id"], *call.get("params", {}).values(), query=call.get("query"), body=call.get("body")
    )


class Scenarios(unittest.TestCase):
    def check(self, scenario: Dict[str, Any], is_async: bool) -> None:
        with Service(scenario["answers"]) as service:
            try:
                if is_async:
                    result = asyncio.run(run_async(AsyncClient(service.url, "gln_key"), scenario))
                else:
                    result = run(Client(service.url, "gln_key"), scenario)
            except GleanerError as error:
                self.assertIn("error", scenario, error)
                for name, value in scenario["error"].items():
                    self.assertEqual(getattr(error, snake(name)), value)
            else:
                self.assertNotIn("error", scenario, result)
                self.assertEqual(result, scenario["result"])
            self.check_requests(service.requests, scenario["requests"])

    def check_requests(self, seen: List[Dict[str, Any]], expected: List[Dict[str, Any]]) -> None:
        self.assertEqual(
            [(request["method"], sorted_url(request["url"])) for request in seen],
            [(request["method"], sorted_url(request["url"])) for request in expected],
        )
        keys = set()
        for request, wanted in zip(seen, expected):
            self.assertEqual(request["headers"]["x-api-key"], "gln_key")
            if "json" in wanted:
                self.assertEqual(json.loads(request["body"]), wanted["json"])
            key = request["headers"].get("idempotency-key")
            self.assertEqual(key is not None, wanted.get("hasKey", False))
            keys.add(key)
        self.assertEqual(len(keys), 1)

    def test_calls(self) -> None:
        for scenario in SCENARIOS["calls"]:
            for is_async in (False, True):
                with self.subTest(scenario["name"], is_async=is_async):
                    self.check(scenario, is_async)

    def test_webhooks(self) -> None:
        for case in SCENARIOS["webhooks"]:
            with self.subTest(case["name"]):
                now = float(case["now"])

                def verify(case: Any = case, now: float = now) -> Any:
                    return verify_webhook(case["body"], case["headers"], case["secret"], now=lambda: now)

                if "error" in case:
                    with self.assertRaises(GleanerError) as raised:
                        verify()
                    self.assertEqual(raised.exception.code, case["error"])
                else:
                    self.assertEqual(verify(), case["event"])
