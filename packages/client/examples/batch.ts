import { createClient, defineParser, type InferParser } from '@gleaner/client';

const [site = 'https://example.com'] = process.argv.slice(2);
const client = createClient({
  baseUrl: process.env['GLEANER_URL'] ?? 'http://127.0.0.1:3000',
  apiKey: process.env['GLEANER_API_KEY'],
});
const article = defineParser({ fields: { title: { css: 'h1', required: true } } });
const parser = await client.parsers.create({ name: 'titles', schema: article });
const target = { type: 'parser', parserId: parser.id } as const;

// Any iterable of up to a million inputs. They are streamed and never all held in memory.
async function* readUrls(): AsyncGenerator<string> {
  for (let number = 1; number <= 20; number += 1) yield `${site}/product?${number}`;
  yield `${site}/missing`;
}

// Estimate the price.
const dry = await client.batches.upload({ target, dry_run: true }, readUrls());
console.log(`at most ${dry.credits.most} credits for ${dry.inputs} pages`);

const batch = await client.batches.upload({ target, name: 'titles', max_credits: 100 }, readUrls());
const ended = await client.batches.waitFor(batch, {
  onProgress: ({ counts }) =>
    process.stderr.write(`${counts.succeeded + counts.failed} of ${counts.total}\n`),
  signal: AbortSignal.timeout(60_000),
});
console.log(`${ended.status}: ${ended.counts.succeeded} succeeded, ${ended.counts.failed} failed`);

let count = 0;
for await (const { data } of client.batches.results<InferParser<typeof article>>(batch.id)) {
  if (data.title.length > 0) count += 1;
}
console.log(`${count} titles`);
for await (const { url, error } of client.batches.failures(batch.id))
  console.log(`${new URL(url).pathname}: ${error}`);

// Or read everything as one stream.
const file = await client.batches.export(batch.id, { format: 'csv' });
for await (const line of file.lines()) {
  console.log(`the columns are ${line}`);
  break;
}
