import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { AppError } from '@gleaner/contracts';
import type { CheckedInput } from '../tasks/check-input.ts';
import type { CarryReader, TakenInput } from './carry-inputs.ts';
import type { ResolvedTarget } from './resolve-target.ts';
import type { Input, RunInputs } from './run-inputs.ts';
import type { RunBounds } from './run-submission.ts';

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
