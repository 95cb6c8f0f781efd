import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, it } from 'vitest';
import { isAlive } from '@gleaner/embedded-postgres/process-facts';
import { supervise, type SupervisedProcess } from './child.ts';
import { createLogSink } from './log-sink.ts';

const folder = mkdtempSync(join(tmpdir(), 'gleaner-child-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let lines: string[] = [];
let children: SupervisedProcess[] = [];
afterEach(async () => {
  await Promise.all(children.map((child) => child.stop(100)));
  children = [];
  lines = [];
});

function run(name: string, code: string, backoff = { firstMs: 20, mostMs: 100, resetAfterMs: 60_000 }) {
  const entry = join(folder, `${name}.mjs`);
  writeFileSync(entry, code);
  const pids: (number | undefined)[] = [];
  const child = supervise(
    { name, entry, env: () => ({ ...process.env, GREETING: 'hello' }) },
    { log: createLogSink((line) => lines.push(line), false), onPid: (_, pid) => pids.push(pid), backoff },
  );
  children.push(child);
  return { child, pids };
}

it('gives every line its process in front, with the environment and the pid', async () => {
  const { child, pids } = run('api', 'console.log(process.env.GREETING); setInterval(() => {}, 1e3)');
  await expect.poll(() => lines.some((line) => /^api +\| .*"msg":"hello"/.test(line))).toBe(true);
  expect(lines[0]).toContain(`"pid":${child.pid()}`);
  expect(pids).toEqual([child.pid()]);
});

it('starts a crashed process again, waiting longer each time', async () => {
  const { pids } = run('crash', 'process.exit(3)');
  await expect.poll(() => pids.filter((pid) => pid !== undefined).length).toBeGreaterThanOrEqual(5);
  const waits = lines
    .filter((line) => line.includes('process ended with code 3'))
    .map((line) => Number(/"in_ms":(\d+)/.exec(line)?.[1]));
  expect(waits.slice(0, 4)).toEqual([20, 40, 80, 100]);
});

it('starts a killed process again at once after a long healthy run', async () => {
  const { child, pids } = run('healthy', 'setInterval(() => {}, 1e3)', {
    firstMs: 10,
    mostMs: 60_000,
    resetAfterMs: 0,
  });
  for (let round = 1; round <= 3; round += 1) {
    await expect.poll(() => child.pid()).toBeDefined();
    const pid = child.pid() ?? 0;
    await expect.poll(() => isAlive(pid)).toBe(true);
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => pids.filter((one) => one !== undefined).length).toBe(round + 1);
  }
  expect(lines.filter((line) => line.includes('"in_ms":10,')).length).toBe(3);
});

it('kills a process that does not stop, and what it started', async () => {
  const code = `
    import { spawn } from 'node:child_process';
    process.on('SIGTERM', () => {});
    console.log('grandchild ' + spawn('sleep', ['60'], { stdio: 'ignore' }).pid);
    setInterval(() => {}, 1e3);`;
  const { child } = run('stubborn', code);
  const grandchild = (): number => Number(/grandchild (\d+)/.exec(lines.join('\n'))?.[1] ?? 0);
  await expect.poll(grandchild).toBeGreaterThan(0);
  const pid = child.pid() ?? 0;
  await child.stop(200);
  expect(isAlive(pid)).toBe(false);
  await expect.poll(() => isAlive(grandchild())).toBe(false);
  expect(lines.join('\n')).toContain('did not stop in time');
});

it('does not restart what was stopped', async () => {
  const { child, pids } = run('calm', "console.log('up'); setInterval(() => {}, 1e3)");
  await expect.poll(() => lines.some((line) => line.includes('up'))).toBe(true);
  await child.stop(5000);
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect(pids).toHaveLength(2);
  expect(child.pid()).toBeUndefined();
});

it('leaves no process behind when the supervisor itself is killed, not even one that hangs', async () => {
  const entry = join(folder, 'orphan.mjs');
  // It hangs in its last moment, as native code can.
  writeFileSync(entry, `process.on('SIGTERM', () => { for (;;); }); setInterval(() => {}, 1e3);`);
  const owner = spawn(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `const { supervise } = await import(${JSON.stringify(join(import.meta.dirname, 'child.ts'))});
       supervise({ name: 'o', entry: ${JSON.stringify(entry)}, env: () => process.env },
         { log: { line: () => {}, note: () => {} }, onPid: (_, pid) => console.log(pid) });`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const [chunk]: unknown[] = await once(owner.stdout, 'data');
  const pid = Number(String(chunk));
  expect(isAlive(pid)).toBe(true);
  owner.kill('SIGKILL');
  await expect.poll(() => isAlive(pid)).toBe(false);
});
