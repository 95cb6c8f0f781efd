import { afterAll, expect, it } from 'vitest';
import { dryRun, type DryRun } from '../submission/dry-run.ts';
import type { InputBlock } from '../submission/run-inputs.ts';
import { createSubmitServices, createTestParser } from '../../testing/submit-services.ts';
import { createTestAccount, openTestServices } from '../../testing/test-services.ts';
import { readCsvInputs, readNdjsonInputs } from './read-inputs.ts';

const { services, close } = await openTestServices();
afterAll(close);
const submitServices = createSubmitServices(services);
const { accountId } = await createTestAccount(services, { credits: 10 });
const parserId = await createTestParser(services, accountId);

function answer(blocks: AsyncIterable<InputBlock>): Promise<DryRun> {
  return dryRun(submitServices, {
    accountId,
    origin: { type: 'batch', name: null },
    target: { type: 'parser', parserId },
    inputs: () => ({ blocks, field: 'file', describe: (at) => ({ field: 'file', detail: `line ${at} ` }) }),
    bounds: { maxInputs: 1_000 },
  });
}

async function* bytes(text: string): AsyncGenerator<Uint8Array, void, undefined> {
  yield Buffer.from(text);
}

it.each(['', '\n', '\uFEFF'])('refuses %j, which has no inputs, as a submission does', async (file) => {
  const refusal = { code: 'invalid_request', options: { field: 'file', detail: 'there are no inputs' } };
  await expect(answer(readNdjsonInputs(bytes(file)))).rejects.toMatchObject(refusal);
  await expect(answer(readCsvInputs(bytes(`url${file}`), true))).rejects.toMatchObject(refusal);
});

it('reports invalid lines of a file, each with its reason, and counts the others', async () => {
  expect(
    await answer(readCsvInputs(bytes('name,url\na,http://a.test/,x\nb,http://b.test/\n'), true)),
  ).toMatchObject({
    inputs: 1,
    refused_count: 1,
    refused: [{ index: 0, input: 'a,http://a.test/,x', detail: 'line 2 has 3 cells, but the header has 2' }],
  });
  const long = `{${'x'.repeat(2000)}`;
  expect(await answer(readNdjsonInputs(bytes(`http://a.test/\n{bad\n${long}\n`)))).toMatchObject({
    inputs: 1,
    refused_count: 2,
    refused: [
      { index: 1, input: '{bad', detail: 'line 2 is not JSON' },
      { index: 2, input: long.slice(0, 500), detail: 'line 3 is not JSON' },
    ],
  });
});
