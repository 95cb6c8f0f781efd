import { tables } from '@gleaner/db';
import { afterAll, expect, it } from 'vitest';
import { OUTPUT_FORMATS, type OutputFormat } from '@gleaner/contracts';
import { createTestAccount, openTestServices, testContext } from '../testing/test-services.ts';
import { getParserOutput } from './get-parser-output.ts';

const { services, close } = await openTestServices();
afterAll(close);

const { accountId } = await createTestAccount(services);
await services.db.orm
  .insert(tables.parsers)
  .values({ id: 'prs_types', accountId, name: 'products', version: 2, scrapeConfig: {} });
await services.db.orm.insert(tables.parserVersions).values([
  { parserId: 'prs_types', version: 1, schema: { fields: { title: 'h1' } } },
  { parserId: 'prs_types', version: 2, schema: { fields: { price: { css: 'b', type: 'money' } } } },
]);

async function outputOf(format: OutputFormat, version?: number, account = accountId) {
  const input = {
    params: { id: 'prs_types' },
    query: { format, version },
    body: undefined,
    upload: undefined,
  };
  const { contentType, filename, stream } = await getParserOutput(testContext(services, account), input);
  let text = '';
  for await (const part of stream) text += String(part);
  return { contentType, filename, text };
}

it('gives the type of a parser’s answer in each language', async () => {
  const all = await Promise.all(OUTPUT_FORMATS.map((format) => outputOf(format)));
  expect(all.map(({ filename }) => filename)).toEqual([
    'prs_types.schema.json',
    'prs_types.ts',
    'prs_types.py',
    'prs_types.sql',
  ]);
  expect(JSON.parse(all[0]?.text ?? '')).toMatchObject({ title: 'products', required: ['price'] });
  expect(all[1]?.text).toContain('export interface Products {\n  price: {\n    amount: number;');
  expect(all[2]?.text).toContain(
    'Products = TypedDict("Products", {\n    "price": Optional[ProductsPrice],\n})',
  );
  expect(all[3]?.text).toBe(
    [
      'CREATE TABLE "products" (',
      '  "_url" text NOT NULL,',
      '  "_fetched_at" timestamptz NOT NULL,',
      '  "_run_id" text NOT NULL,',
      '  "price" double precision,',
      '  "price_currency" text,',
      '  PRIMARY KEY ("_url")',
      ');',
      '',
    ].join('\n'),
  );
});

it('gives that of another version, and none of another account', async () => {
  expect((await outputOf('typescript', 1)).text).toContain('title: string | null;');
  await expect(outputOf('sql', 3)).rejects.toMatchObject({ code: 'not_found' });
  const other = await createTestAccount(services);
  await expect(outputOf('sql', undefined, other.accountId)).rejects.toMatchObject({ code: 'not_found' });
});
