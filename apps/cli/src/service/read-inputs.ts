import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { Fault, messageOf } from '../fault.ts';
import { openInput } from '../read-file.ts';
import { collect } from './service-command.ts';

export const INPUT_FORMATS = ['lines', 'ndjson', 'csv'] as const;
export type InputFormat = (typeof INPUT_FORMATS)[number];

/** The format by the name of a file; standard input and other names are lines. */
export function formatOf(path: string): InputFormat {
  if (/\.csv$/i.test(path)) return 'csv';
  return /\.(ndjson|jsonl)$/i.test(path) ? 'ndjson' : 'lines';
}

function parseInput(
  line: string,
  number: number,
  skipsInvalid: boolean,
): string | Readonly<Record<string, unknown>> {
  if (!line.startsWith('{') && !line.startsWith('"')) return line;
  try {
    // The service checks the parameters; here it only has to be JSON.
    return JSON.parse(line) as string | Readonly<Record<string, unknown>>;
  } catch (error) {
    // The service leaves it out and names it.
    if (skipsInvalid) return line;
    throw new Fault(`Line ${number} is not JSON: ${messageOf(error)}`);
  }
}

/**
 * One input per line: a URL, a JSON string, or an object of parameters. Empty lines are left out. Lines are read on
 * demand, so that memory stays flat.
 * @throws Fault for a line that begins like JSON and is none, unless invalid inputs are left out
 */
export async function* readInputs(
  input: Readable,
  skipsInvalid: boolean,
): AsyncGenerator<string | Readonly<Record<string, unknown>>, void, undefined> {
  let number = 0;
  for await (const line of createInterface({ input, crlfDelay: Infinity })) {
    number += 1;
    const text = (number === 1 ? line.replace(/^\uFEFF/, '') : line).trim();
    if (text !== '') yield parseInput(text, number, skipsInvalid);
  }
}

/** All inputs of a file; `-` is standard input. @throws Fault */
export async function readInputFile(path: string): Promise<(string | Readonly<Record<string, unknown>>)[]> {
  return collect(readInputs(await openInput(path, 'inputs'), false));
}
