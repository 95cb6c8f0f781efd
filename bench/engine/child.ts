import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export interface Loop {
  wallMs: number;
  cpuMs: number;
}

/** Runs a script of this folder to its end; its last line is JSON. @param command what runs it, default Node */
export async function runLoop(
  script: string,
  args: readonly string[],
  command: string = process.execPath,
): Promise<Loop> {
  const child = spawn(command, [join(import.meta.dirname, script), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${script} ended with ${code}: ${output}`);
  return JSON.parse(output.trim().split('\n').at(-1) ?? '') as Loop;
}

export interface Target {
  origin: string;
  pid: number;
  stop: () => void;
}

/** A script of this folder that prints `listening on <port>`, as a process of its own. */
export async function startServer(script: string, args: readonly string[]): Promise<Target> {
  const child: ChildProcess = spawn(process.execPath, [join(import.meta.dirname, script), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const port = await new Promise<number>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${script} ended with ${code}`)));
    child.stdout?.on('data', (chunk: Buffer) => {
      const found = /listening on (\d+)/.exec(chunk.toString());
      if (found) resolve(Number(found[1]));
    });
  });
  return { origin: `http://127.0.0.1:${port}`, pid: child.pid ?? 0, stop: () => void child.kill() };
}

/** The pages, served by a process of their own. @param delayMs before each answer */
export function startTarget(
  bytes: number,
  delayMs = 0,
  pages: 'same' | 'distinct' = 'same',
): Promise<Target> {
  return startServer('target.ts', [String(bytes), String(delayMs), pages]);
}
