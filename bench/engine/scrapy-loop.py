"""Scrapy reading the same twelve fields of the same pages. Prints wall and CPU as JSON."""

import json
import os
import sys
import time

import scrapy
from scrapy.crawler import CrawlerProcess

ORIGIN, COUNT, CONCURRENCY = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
read = 0


class Pages(scrapy.Spider):
    name = "pages"

    def start_requests(self):
        for index in range(COUNT):
            yield scrapy.Request(f"{ORIGIN}/p/{index}")

    def parse(self, response):
        global read
        css = response.css
        data = {
            "title": css("h1::text").get("").strip(),
            "description": css('meta[name="description"]::attr(content)').get(),
            "canonical": response.urljoin(css('link[rel="canonical"]::attr(href)').get("")),
            "price": float(css(".offer .price::text").get("").replace(",", "")),
            "currency": css(".offer .price::attr(data-currency)").get(),
            "stock": int(css(".offer .stock::text").get("")),
            "rating": float(css(".rating::attr(data-value)").get("")),
            "sku": css("#sku::text").get(),
            "brand": css(".brand a::text").get("").strip().upper(),
            "image": response.urljoin(css("img.main::attr(src)").get("")),
            "breadcrumbs": css("nav.crumbs a::text").getall(),
            "reviews": len(css(".review")),
        }
        read += 1 if len(json.dumps(data)) > 0 else 0


process = CrawlerProcess(
    {
        "LOG_ENABLED": False,
        "CONCURRENT_REQUESTS": CONCURRENCY,
        "CONCURRENT_REQUESTS_PER_DOMAIN": CONCURRENCY,
        "RETRY_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
    }
)
process.crawl(Pages)
before = os.times()
started = time.monotonic()
process.start()
wall = time.monotonic() - started
after = os.times()
if read != COUNT:
    raise SystemExit(f"{read} of {COUNT} pages were read")
cpu = after.user - before.user + after.system - before.system
print(json.dumps({"wallMs": wall * 1000, "cpuMs": cpu * 1000}))
