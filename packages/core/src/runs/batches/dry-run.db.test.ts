import { createTestDatabase } from '@gleaner/db/testing';
import { afterAll, expect, it } from 'vitest';
import { batchFields } from '@gleaner/contracts';
import { createAccount } from '../../accounts/create-account.ts';
import type { Context } from '../../platform/context.ts';
import type { ResolvedTarget } from '../submission/resolve-target.ts';
import { answerDryRun } from './dry-run.ts';
import { readCsvInputs, readNdjsonInputs, type InputBlock } from './read-inputs.ts';

const test = await createTestDatabase();
afterAll(test.close);
const { account } = await createAccount(test.db, { name: 'dry', credits: 10 });

function answer(blocks: AsyncIterable<InputBlock>) {
  const target = { type: 'parser', parserId: 'prs_1', version: 1 } as const;
  const resolved: ResolvedTarget = {
    target,
    config: {},
    price: 1,
    queue: 'batch-http',
    takesUrls: true,
    check: (value) => (typeof value === 'string' ? { line: value } : { fault: 'must be a URL' }),
  };
  const fields = batchFields.parse({ target: { type: 'parser', parserId: 'prs_1' } });
  // A dry run uses the database and the account alone.
  const ctx = { services: { db: test.db }, accountId: account.id } as unknown as Context;
  return answerDryRun(ctx, fields, resolved, {
    blocks,
    field: 'file',
    describe: (at) => ({ field: 'file', detail: `line ${at} ` }),
  });
}

async function* bytes(text: string): AsyncGenerator<Uint8Array, void, undefined> {
  yield Buffer.from(text);
}

it('refuses the lines of a file that can’t be read, each with its reason, and counts the others', async () => {
  expect(await answer(readCsvInputs(bytes('name,url\na,http://a/,x\nb,http://b/\n'), true))).toMatchObject({
    inputs: 1,
    refused_count: 1,
    refused: [{ index: 0, input: 'a,http://a/,x', detail: 'line 2 has 3 cells, but the header has 2' }],
  });
  const long = `{${'x'.repeat(2000)}`;
  expect(await answer(readNdjsonInputs(bytes(`http://a/\n{bad\n${long}\n`)))).toMatchObject({
    inputs: 1,
    refused_count: 2,
    refused: [
      { index: 1, input: '{bad', detail: 'line 2 is not JSON' },
      { index: 2, input: long.slice(0, 500), detail: 'line 3 is not JSON' },
    ],
  });
});
