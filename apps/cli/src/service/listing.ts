import type { Command } from 'commander';
import { wholeNumber } from '../numbers.ts';
import type { ServiceFlags } from './service-command.ts';

export interface ListFlags extends ServiceFlags {
  limit: number;
  all?: boolean;
}

const DEFAULT_LIMIT = 20;

export function withLimit(command: Command): Command {
  return command
    .option('-n, --limit <n>', 'print at most this many', wholeNumber(1, 1e9), DEFAULT_LIMIT)
    .option('-a, --all', 'print all of them');
}

/** The number of elements that the flags select. */
export function mostOf({ limit, all }: ListFlags): number {
  return all === true ? Infinity : limit;
}

/** The first elements of an iterable, at most `most`. */
export async function collect<T>(items: AsyncIterable<T>, most = Infinity): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) {
    collected.push(item);
    if (collected.length >= most) break;
  }
  return collected;
}

/** The first elements of a list over its pages. */
export function take<T>(items: AsyncIterable<T>, flags: ListFlags): Promise<T[]> {
  return collect(items, mostOf(flags));
}
