import { createClient, defineParser } from '@gleaner/client';

const [page = 'https://example.com/'] = process.argv.slice(2);
const client = createClient({
  baseUrl: process.env['GLEANER_URL'] ?? 'http://127.0.0.1:3000',
  apiKey: process.env['GLEANER_API_KEY'],
});

// The schema keeps its types, so the data is typed.
const article = defineParser({
  fields: {
    title: { css: 'h1', required: true },
    price: { css: '.price', type: 'number' },
    tags: { css: 'li', take: 'all' },
  },
});

// Without a saved parser: title is a string, price a number or null, tags a list of strings.
const { title, price, tags } = await client.scrape(article, page);
console.log(`${title} costs ${price ?? 'nothing'}: ${tags.join(', ')}`);

// Save it as a parser; the record keeps the type. `answer()` returns the data with details of the response.
const parser = await client.parsers.create({ name: 'article', schema: article });
const { data, creditsUsed, creditsRemaining } = await client
  .scrape(parser, { url: page, retries: 1 })
  .answer();
console.log(`${data.title} used ${creditsUsed} of ${creditsRemaining} credits`);

// Parsing a page that you already have is free.
const own = await client.parse(parser, '<h1>Red mug</h1><p class="price">12.50 EUR</p>');
console.log(`${own.title} costs ${own.price}`);

// Iterating a list fetches its pages.
for await (const { id, name } of client.parsers.list()) console.log(`${name} is ${id.slice(0, 3)}_…`);
