import { expect, vi } from 'vitest';
import { ExitCode } from '../exit-codes.ts';
import { putCommandFirst } from '../put-command-first.ts';
import { runWords } from '../run-words.ts';

export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

type Write = (chunk: string | Uint8Array, ...rest: unknown[]) => boolean;

/** Keeps what the process writes, and tells whoever waits that it has left. */
function keep(chunks: Uint8Array[]): Write {
  return (chunk, ...rest) => {
    chunks.push(Buffer.from(chunk as string));
    const written = rest.find((one) => typeof one === 'function');
    if (written) process.nextTick(written);
    return true;
  };
}

/**
 * Runs `gleaner` within this process, which saves the start of another: a second of CPU and more. One at a time, because
 * the environment, the output and the exit code are the process's. Standard input needs a real process.
 * @param env the command's whole environment
 * @param folder where it runs
 */
export async function runHere(
  folder: string,
  env: NodeJS.ProcessEnv,
  words: readonly string[],
): Promise<Ended> {
  const before = { env: process.env, folder: process.cwd() };
  const out: Uint8Array[] = [];
  const err: Uint8Array[] = [];
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(keep(out)),
    vi.spyOn(process.stderr, 'write').mockImplementation(keep(err)),
    vi.spyOn(process, 'exit').mockImplementation((code) => {
      throw new ExitCode(Number(code ?? 0));
    }),
  ];
  process.chdir(folder);
  process.env = { ...env };
  process.exitCode = undefined;
  try {
    await runWords(putCommandFirst(words));
    return { code: exitCode(), stdout: textOf(out), stderr: textOf(err) };
  } finally {
    process.exitCode = undefined;
    process.env = before.env;
    process.chdir(before.folder);
    for (const spy of spies) spy.mockRestore();
  }
}

/** What `gleaner` would end with. */
function exitCode(): number {
  return Number(process.exitCode ?? 0);
}

function textOf(chunks: readonly Uint8Array[]): string {
  return Buffer.concat(chunks).toString();
}

/** Expects an error in plain lines: no stack, nothing of the database's own texts. */
export function expectFault({ code, stderr }: Ended, about: RegExp): void {
  expect(code).toBe(1);
  expect(stderr).toMatch(about);
  expect(stderr).not.toMatch(/^ +at |Failed query|violates/m);
}
