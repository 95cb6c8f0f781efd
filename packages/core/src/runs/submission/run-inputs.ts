import { AppError } from '@gleaner/contracts';
import type { ResolvedTarget } from './resolve-target.ts';

/** An input as the client sent it, with its index in a list or its line number in a file. */
export interface Input {
  value: unknown;
  at: number;
  /** Why the line can't be read, as the end of a sentence that starts with `line 18`. `value` is then the raw line. */
  fault?: string;
}

export type InputBlock = readonly Input[];

/** The inputs of a run. They are read once, in blocks, so that a million inputs are never all in memory. */
export interface RunInputs {
  blocks: AsyncIterable<InputBlock>;
  /** The field that holds all inputs, for messages: `urls`, `file`. */
  field: string;
  /** The field and the start of the detail in a message about one input: `urls[17]`; `file` and `line 18 `. */
  describe: (at: number) => { field: string; detail: string };
}

const BLOCK = 500;

export async function* readListInputs(list: readonly unknown[]): AsyncGenerator<InputBlock, void, undefined> {
  for (let start = 0; start < list.length; start += BLOCK) {
    yield list.slice(start, start + BLOCK).map((value, offset) => ({ value, at: start + offset }));
  }
}

/** Inputs in memory. Messages name one of them `urls[17]`. */
export function listInputs(field: string, list: readonly unknown[]): RunInputs {
  return {
    blocks: readListInputs(list),
    field,
    describe: (at) => ({ field: `${field}[${at}]`, detail: '' }),
  };
}

/** The only input of a run. Messages name its field. */
export function singleInput(field: string, value: unknown): RunInputs {
  return { ...listInputs(field, [value]), describe: () => ({ field, detail: '' }) };
}

/** The inputs of a body with `urls` or `inputs`. @throws AppError invalid_request: not the field that this target takes */
export function chooseInputs(
  { urls, inputs }: { urls?: readonly string[] | undefined; inputs?: readonly unknown[] | undefined },
  { takesUrls }: Pick<ResolvedTarget, 'takesUrls'>,
): RunInputs {
  if (urls !== undefined && inputs !== undefined) {
    throw new AppError('invalid_request', { field: 'inputs', detail: 'give urls or inputs, not both' });
  }
  if (urls !== undefined && !takesUrls) {
    throw new AppError('invalid_request', { field: 'urls', detail: 'a prebuilt API takes inputs, not urls' });
  }
  return inputs === undefined ? listInputs('urls', urls ?? []) : listInputs('inputs', inputs);
}
