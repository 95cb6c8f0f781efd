import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { findHolder, lockFolder } from './folder-lock.ts';
import { startId } from '@gleaner/embedded-postgres/process-facts';

const root = mkdtempSync(join(tmpdir(), 'gleaner-lock-'));
let folder = root;
beforeEach(() => {
  folder = mkdtempSync(join(root, 'case-'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function script(body: string): string {
  return `
  const { lockFolder } = await import(${JSON.stringify(join(import.meta.dirname, 'folder-lock.ts'))});
  ${body}`;
}

it('refuses a second service and names the first', async () => {
  const lock = await lockFolder(folder, 'service');
  await expect(lockFolder(folder, 'service')).rejects.toThrow(
    new RegExp(`already runs on the data folder .*pid ${process.pid}`),
  );
  expect(findHolder(folder)).toMatchObject({ pid: process.pid, role: 'service' });
  lock.release();
  expect(findHolder(folder)).toBeUndefined();
  (await lockFolder(folder, 'service')).release();
});

it('takes over from a holder that was killed', async () => {
  const holder = spawn(process.execPath, [
    '--input-type=module',
    '-e',
    script(
      `await lockFolder(${JSON.stringify(folder)}, 'service'); console.log('held'); setInterval(() => {}, 1000);`,
    ),
  ]);
  await once(holder.stdout, 'data');
  expect(findHolder(folder)?.pid).toBe(holder.pid);
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  expect(findHolder(folder)).toBeUndefined();
  (await lockFolder(folder, 'service')).release();
});

it('is not fooled by a process id that was used again', async () => {
  const impostor = { pid: process.pid, started: `${startId(process.pid)}0`, role: 'service' };
  writeFileSync(join(folder, 'lock.json'), JSON.stringify(impostor));
  expect(findHolder(folder)).toBeUndefined();
  (await lockFolder(folder, 'service')).release();
});

it('waits for a command to end', async () => {
  const command = await lockFolder(folder, 'command');
  let isTaken = false;
  const waiting = lockFolder(folder, 'service').then((lock) => {
    isTaken = true;
    return lock;
  });
  await Promise.race([waiting, new Promise((resolve) => setTimeout(resolve, 200))]);
  expect(isTaken).toBe(false);
  command.release();
  (await waiting).release();
});

it('lets one alone in when many find the lock of a killed holder', async () => {
  writeFileSync(join(folder, 'lock.json'), JSON.stringify({ pid: 4_194_300, started: 'x', role: 'service' }));
  const log = join(folder, 'log');
  writeFileSync(log, '');
  const body = script(`
    const { appendFileSync } = await import('node:fs');
    try {
      await lockFolder(${JSON.stringify(folder)}, 'service');
      appendFileSync(${JSON.stringify(log)}, 'in\\n');
    } catch { appendFileSync(${JSON.stringify(log)}, 'refused\\n'); }
    process.stdin.resume();`);
  const rivals = Array.from({ length: 5 }, () =>
    spawn(process.execPath, ['--input-type=module', '-e', body], { stdio: ['pipe', 'ignore', 'inherit'] }),
  );
  const said = (): string[] => readFileSync(log, 'utf8').trim().split('\n');
  await expect.poll(() => said().length).toBe(5);
  for (const rival of rivals) rival.kill('SIGKILL');
  expect(said().filter((line) => line === 'in')).toHaveLength(1);
});
