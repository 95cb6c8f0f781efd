import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { AppError } from '@gleaner/contracts';
import type { CheckedInput } from '../tasks/check-input.ts';
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
  /** Accepts a valid input that is not a duplicate. Returns a promise when the walk must wait for room. */
  accept(line: string): Promise<void> | undefined;
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
  signal: AbortSignal | undefined;
}

function checkInput(target: InputWalk['target'], { value, fault }: Input): CheckedInput {
  return fault === undefined ? target.check(value) : { fault };
}

/** What is kept of an input to find its duplicates: 72 bits of its SHA-256, which takes some 50 bytes of memory. */
function digestOf(line: string): string {
  return hash('sha256', line, 'base64').slice(0, 12);
}

/**
 * Reads all inputs once: validates each, drops duplicates, and passes the others to the receiver.
 * @throws AppError invalid_request for more inputs than `bounds.maxInputs`, and errors of the receiver and the inputs
 */
export async function walkInputs(walk: InputWalk, receiver: InputReceiver): Promise<InputCounts> {
  const { target, inputs, bounds, noun, signal } = walk;
  const seen = bounds.dedupe ? new Set<string>() : undefined;
  const counts: InputCounts = { accepted: 0, duplicates: 0, refused: 0 };
  for await (const block of inputs.blocks) {
    signal?.throwIfAborted();
    // A list, or a file that has arrived already, is read without waiting for anything else.
    await setImmediate();
    for (const input of block) {
      const checked = checkInput(target, input);
      if ('fault' in checked) {
        const index = counts.accepted + counts.duplicates + counts.refused;
        const { field, detail } = inputs.describe(input.at);
        counts.refused += 1;
        receiver.refuse({ index, value: input.value, field, detail: `${detail}${checked.fault}` });
        continue;
      }
      if (seen) {
        const digest = digestOf(checked.line);
        if (seen.has(digest)) {
          counts.duplicates += 1;
          continue;
        }
        seen.add(digest);
      }
      counts.accepted += 1;
      if (counts.accepted > bounds.maxInputs) {
        throw new AppError('invalid_request', {
          field: inputs.describe(input.at).field,
          detail: `${noun} has at most ${bounds.maxInputs} inputs`,
        });
      }
      const room = receiver.accept(checked.line);
      if (room) await room;
    }
  }
  return counts;
}
