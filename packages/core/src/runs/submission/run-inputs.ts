import { AppError } from '@gleaner/contracts';
import type { ResolvedTarget } from './resolve-target.ts';
import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { CheckedInput } from '../tasks/check-input.ts';
import type { CarryReader, TakenInput } from './carry-inputs.ts';

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

/** An input that the target can't take. */
export interface RefusedInput {
  /** Index among all inputs from 0, including duplicates and refused ones. */
  index: number;
  value: unknown;
  field: string;
  detail: string;
}

/** Receives every input of a walk, in order. A loader stores them; a dry run counts them. */
export interface InputReceiver {
  /**
   * Accepts a valid input that is not a duplicate. Returns a promise when the walk must wait for room.
   * @param carried what its task keeps of it
   */
  accept(line: string, carried?: string): Promise<void> | undefined;
  /** Handles an invalid input. Throws to end the walk. */
  refuse(input: RefusedInput): void;
}

export interface InputCounts {
  accepted: number;
  duplicates: number;
  refused: number;
}

/**
 * Limits of one run. The limit on unfinished tasks belongs to the account (`accounts.pending_limit`) and applies to every
 * run.
 */
export interface RunBounds {
  /** Keep only the first of equal inputs. Default: keep all. */
  dedupe?: boolean | undefined;
  /** Leave out invalid inputs. Default: the first one refuses the run. */
  skipInvalid?: boolean | undefined;
  /** The limit on inputs. Duplicates that `dedupe` removes don't count. */
  maxInputs: number;
  /** The most credits that the run may charge. Default: the price of all inputs. */
  maxCredits?: number | undefined;
}

export interface InputWalk {
  target: Pick<ResolvedTarget, 'check'>;
  inputs: RunInputs;
  bounds: Pick<RunBounds, 'dedupe' | 'maxInputs'>;
  /** The run in messages: "a batch". */
  noun: string;
  /** Present in a run that keeps values of its inputs. */
  carry?: CarryWalk | undefined;
  signal: AbortSignal | undefined;
}

export interface CarryWalk {
  reader: CarryReader;
  /** The columns that identify a row of the run's table, when inputs alone give them. */
  key: readonly string[] | undefined;
  /** Inputs with the same address are duplicates, whatever their values. */
  isByAddress?: boolean | undefined;
}

type Checked = CheckedInput & Partial<TakenInput>;

function checkInput({ target, carry }: InputWalk, { value, fault }: Input): Checked {
  if (fault !== undefined) return { fault };
  const taken = carry === undefined ? { value } : carry.reader.take(value);
  if ('fault' in taken) return taken;
  const checked = target.check(taken.value);
  return 'fault' in checked ? checked : { ...taken, line: checked.line };
}

/** The key of the row that an input gives; null: a part of it is null. */
function rowKey(key: readonly string[], line: string, cells: TakenInput['cells']): string | null {
  const values = key.map((name) => (name === '_url' ? line : cells.get(name)));
  return values.includes(undefined) ? null : values.join('\0');
}

/** What is kept of an input to find its duplicates: 72 bits of its SHA-256, which takes some 50 bytes of memory. */
function digestOf(line: string): string {
  return hash('sha256', line, 'base64').slice(0, 12);
}

/** @returns whether the texts before had this one */
function createMemory(): (text: string) => boolean {
  const known = new Set<string>();
  return (text) => {
    const { size } = known;
    return known.add(digestOf(text)).size === size;
  };
}

/** What becomes of an input: a task, nothing, or a refusal. */
type Verdict = { line: string; carried: string | undefined } | 'duplicate' | { fault: string };

/** Judges inputs in their order: each is compared with those before it. */
function createJudge(walk: InputWalk): (input: Input) => Verdict {
  const { carry, bounds } = walk;
  const isKnown = createMemory();
  const hasKey = createMemory();
  const names = carry?.key?.join(', ') ?? '';
  return (input) => {
    const checked = checkInput(walk, input);
    if ('fault' in checked) return checked;
    const { line, carried, cells = new Map() } = checked;
    const whole = carried === undefined || carry?.isByAddress === true ? line : `${line}\n${carried}`;
    if (bounds.dedupe === true && isKnown(whole)) return 'duplicate';
    const key = carry?.key && rowKey(carry.key, line, cells);
    if (key === null) return { fault: `gives no value for a column of the key: ${names}` };
    if (key !== undefined && hasKey(key))
      return { fault: `shares the key of its row (${names}) with an earlier input` };
    return { line, carried };
  };
}

/**
 * Reads all inputs once: validates each, drops duplicates, and passes the others to the receiver.
 * @throws AppError invalid_request for more inputs than `bounds.maxInputs`, and errors of the receiver and the inputs
 */
export async function walkInputs(walk: InputWalk, receiver: InputReceiver): Promise<InputCounts> {
  const { inputs, bounds, noun, signal } = walk;
  const judge = createJudge(walk);
  const counts: InputCounts = { accepted: 0, duplicates: 0, refused: 0 };
  for await (const block of inputs.blocks) {
    signal?.throwIfAborted();
    // A list, or a file that has arrived already, is read without waiting for anything else.
    await setImmediate();
    for (const input of block) {
      const verdict = judge(input);
      if (verdict === 'duplicate') {
        counts.duplicates += 1;
        continue;
      }
      if ('fault' in verdict) {
        const index = counts.accepted + counts.duplicates + counts.refused;
        const { field, detail } = inputs.describe(input.at);
        counts.refused += 1;
        receiver.refuse({ index, value: input.value, field, detail: `${detail}${verdict.fault}` });
        continue;
      }
      counts.accepted += 1;
      if (counts.accepted > bounds.maxInputs) {
        throw new AppError('invalid_request', {
          field: inputs.describe(input.at).field,
          detail: `${noun} has at most ${bounds.maxInputs} inputs`,
        });
      }
      const room = receiver.accept(verdict.line, verdict.carried);
      if (room) await room;
    }
  }
  return counts;
}
