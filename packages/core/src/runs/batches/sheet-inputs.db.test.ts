import type { UploadPart } from '@gleaner/contracts';
import { writeXlsx, type CellValue } from 'hucre/xlsx';
import { afterAll, expect, it } from 'vitest';
import { callOnce, openTestDoor, refusalOf, valueOf } from '../../operations/testing/test-calls.ts';
import { createTestParser } from '../../testing/submit-services.ts';
import { createTestAccount } from '../../testing/test-services.ts';

const { services, close } = await openTestDoor();
afterAll(close);
const owner = await createTestAccount(services, { credits: 1_000 });
const parserId = await createTestParser(services, owner.accountId, [{ fields: { name: 'h1' } }]);

async function* formOf(
  fields: Readonly<Record<string, string>>,
  bytes: Uint8Array,
): AsyncGenerator<UploadPart, void, undefined> {
  for (const [name, value] of Object.entries(fields)) yield { kind: 'field', name, value };
  yield {
    kind: 'file',
    name: 'file',
    filename: 'pages.xlsx',
    contentType: undefined,
    stream: (async function* pieces() {
      yield bytes.subarray(0, 1_000);
      yield bytes.subarray(1_000);
    })(),
  };
}

async function create(rows: CellValue[][], fields: Readonly<Record<string, string>> = {}) {
  const target = JSON.stringify({ type: 'parser', parserId });
  const upload = formOf({ target, ...fields }, await writeXlsx({ sheets: [{ name: 'a', rows }] }));
  return callOnce(services, 'createBatch', owner, { upload });
}

it('a spreadsheet gives inputs as a CSV does, with the values that are kept', async () => {
  const rows = [
    ['URL', 'sku', 'price'],
    ['http://a.test/1', '=A1', 1.5],
    ['http://a.test/2', 'B', null],
  ];
  const { id } = valueOf(await create(rows, { carry: '["sku","price"]' })) as { id: string };
  const { inputs } = valueOf(
    await callOnce(services, 'getBatchInputs', owner, { params: { id }, query: { limit: '10' } }),
  ) as { inputs: unknown[] };
  expect(inputs).toMatchObject([
    { url: 'http://a.test/1', input: { sku: '=A1', price: '1.5' } },
    { url: 'http://a.test/2', input: { sku: 'B', price: null } },
  ]);
});

it('a spreadsheet without addresses is refused, and one that is damaged', async () => {
  expect(await refusalOf(create([['name'], ['x']]))).toMatchObject({ options: { field: 'file' } });
  const target = JSON.stringify({ type: 'parser', parserId });
  const upload = formOf({ target }, Buffer.from('PK\u0003\u0004 and no more'));
  expect(await refusalOf(callOnce(services, 'createBatch', owner, { upload }))).toMatchObject({
    code: 'invalid_request',
    options: { field: 'file', detail: expect.stringContaining('can’t be read') as string },
  });
});
