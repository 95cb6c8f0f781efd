import { withTimeout } from '@gleaner/contracts';
import { messageOf } from '../fault.ts';

/** One line of `gleaner doctor`. */
export interface Finding {
  /** What was looked at, such as `postgres`. */
  check: string;
  state: 'ok' | 'warning' | 'fault';
  /** What was found, with figures. */
  found: string;
  /** How to correct it; absent when all is well. */
  advice?: string;
}

export type Found = Finding | Finding[];

export function ok(check: string, found: string): Finding {
  return { check, state: 'ok', found };
}

export function warning(check: string, found: string, advice: string): Finding {
  return { check, state: 'warning', found, advice };
}

export function fault(check: string, found: string, advice: string): Finding {
  return { check, state: 'fault', found, advice };
}

/**
 * Runs a check for at most this long. A check that throws or takes longer is a fault, so that one broken part never
 * hides the findings about the others.
 */
export async function bounded(
  name: string,
  { withinMs, advice }: { withinMs: number; advice: string },
  check: () => Promise<Found> | Found,
): Promise<Found> {
  const work = Promise.resolve()
    .then(check)
    .catch((error: unknown) => fault(name, messageOf(error).split('\n')[0] ?? '', advice));
  return withTimeout(work, withinMs, () => fault(name, `no answer within ${withinMs / 1000} s`, advice));
}
