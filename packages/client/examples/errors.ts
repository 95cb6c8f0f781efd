import { createClient, isGleanerError } from '@gleaner/client';

const client = createClient({
  baseUrl: process.env['GLEANER_URL'] ?? 'http://127.0.0.1:3000',
  apiKey: process.env['GLEANER_API_KEY'],
  retries: 3,
});

try {
  await client.parsers.get('prs_unknown');
} catch (error) {
  // TypeScript checks the codes; docs/use/errors.md lists all.
  if (isGleanerError(error, 'not found', 'invalid or inactive api_key')) {
    console.log(`${error.status} ${error.code}, request ${error.requestId?.slice(0, 4)}…`);
  } else throw error;
}

try {
  await client.jobs.create({ target: { type: 'parser', parserId: '' }, url: 'https://example.com/' });
} catch (error) {
  if (!isGleanerError(error)) throw error;
  console.log(`${error.field}: ${error.hint}`);
}
