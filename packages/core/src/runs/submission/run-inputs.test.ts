import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Input, walkInputs, type InputCounts, type RefusedInput } from './run-inputs.ts';

interface Walked {
  counts: InputCounts;
  accepted: string[];
  refused: RefusedInput[];
}

async function* inBlocks(
  values: readonly unknown[],
  length: number,
): AsyncGenerator<Input[], void, undefined> {
  const inputs = values.map((value, at) => ({ value, at }));
  for (let start = 0; start < inputs.length; start += length) yield inputs.slice(start, start + length);
}

/** Numbers are invalid inputs. */
async function walk(
  values: readonly unknown[],
  bounds: { dedupe: boolean; maxInputs: number },
  { blockLength = 3, signal }: { blockLength?: number; signal?: AbortSignal } = {},
): Promise<Walked> {
  const accepted: string[] = [];
  const refused: RefusedInput[] = [];
  const counts = await walkInputs(
    {
      target: { check: (value) => (typeof value === 'string' ? { line: value } : { fault: 'must be text' }) },
      inputs: {
        blocks: inBlocks(values, blockLength),
        field: 'urls',
        describe: (at) => ({ field: `urls[${at}]`, detail: `number ${at} ` }),
      },
      bounds,
      noun: 'a batch',
      signal,
    },
    {
      accept: (line) => {
        accepted.push(line);
        return accepted.length % 2 === 0 ? Promise.resolve() : undefined;
      },
      refuse: (input) => void refused.push(input),
    },
  );
  return { counts, accepted, refused };
}

const values = fc.array(fc.oneof(fc.constantFrom('a', 'b', 'c', 'd'), fc.nat(3)), { maxLength: 20 });

it('every input is accepted, refused or a duplicate, once and in order, for any blocks', async () => {
  await fc.assert(
    fc.asyncProperty(
      values,
      fc.boolean(),
      fc.integer({ min: 1, max: 7 }),
      async (all, dedupe, blockLength) => {
        const { counts, accepted, refused } = await walk(all, { dedupe, maxInputs: 100 }, { blockLength });
        const texts = all.filter((value) => typeof value === 'string');
        expect(accepted).toEqual(dedupe ? [...new Set(texts)] : texts);
        expect(refused).toEqual(
          all.flatMap((value, index) =>
            typeof value === 'string'
              ? []
              : [{ index, value, field: `urls[${index}]`, detail: `number ${index} must be text` }],
          ),
        );
        expect(counts).toEqual({
          accepted: accepted.length,
          duplicates: texts.length - accepted.length,
          refused: refused.length,
        });
      },
    ),
  );
});

it('reports the first input beyond the limit, without counting duplicates and invalid inputs', async () => {
  const all = ['a', 1, 'a', 'b', 'c'];
  await expect(walk(all, { dedupe: true, maxInputs: 2 })).rejects.toMatchObject({
    code: 'invalid_request',
    options: { field: 'urls[4]', detail: 'a batch has at most 2 inputs' },
  });
  expect(await walk(all, { dedupe: true, maxInputs: 3 })).toMatchObject({ accepted: ['a', 'b', 'c'] });
});

it('an aborted signal ends the walk before the next block', async () => {
  await expect(
    walk(['a', 'b'], { dedupe: false, maxInputs: 10 }, { signal: AbortSignal.abort(new Error('gone')) }),
  ).rejects.toThrow('gone');
});
