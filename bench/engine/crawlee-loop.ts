import { CheerioCrawler } from '@crawlee/cheerio';
import { Configuration, LogLevel, log } from '@crawlee/core';

/** Crawlee's CheerioCrawler reading the same twelve fields. Prints wall and CPU as JSON. */
const [origin = '', count = '2000', concurrency = '64'] = process.argv.slice(2);
log.setLevel(LogLevel.ERROR);
let read = 0;
const crawler = new CheerioCrawler(
  {
    minConcurrency: Number(concurrency),
    maxConcurrency: Number(concurrency),
    maxRequestRetries: 0,
    autoscaledPoolOptions: { maybeRunIntervalSecs: 0.01 },
    requestHandler: ({ $ }) => {
      const data = {
        title: $('h1').first().text().trim(),
        description: $('meta[name="description"]').attr('content'),
        canonical: $('link[rel="canonical"]').attr('href'),
        price: Number($('.offer .price').first().text().replace(',', '')),
        currency: $('.offer .price').attr('data-currency'),
        stock: Number($('.offer .stock').first().text()),
        rating: Number($('.rating').attr('data-value')),
        sku: $('#sku').text(),
        brand: $('.brand a').first().text().trim().toUpperCase(),
        image: $('img.main').attr('src'),
        breadcrumbs: $('nav.crumbs a')
          .map((_, node) => $(node).text())
          .get(),
        reviews: $('.review').length,
      };
      read += JSON.stringify(data).length > 0 ? 1 : 0;
    },
  },
  new Configuration({ persistStorage: false }),
);
const cpu = process.cpuUsage();
const startedAt = performance.now();
await crawler.run(Array.from({ length: Number(count) }, (_, index) => `${origin}/p/${index}`));
const wallMs = performance.now() - startedAt;
const { user, system } = process.cpuUsage(cpu);
if (read !== Number(count)) throw new Error(`${read} of ${count} pages were read`);
console.log(JSON.stringify({ wallMs, cpuMs: (user + system) / 1_000 }));
process.exit(0);
