import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { listByPs, findProcesses, listTree, privateBytesOfTree } from './process-tree.ts';

/** A shell with a child of its own. Both have the mark in their arguments, far behind. */
async function startFamily(mark: string) {
  const script = 'process.stdin.resume(); console.log(1)';
  const words = ['-c', '"$0" -e "$1" -- "$2"; true', process.execPath, script, `${'x'.repeat(300)}${mark}`];
  const shell = spawn('/bin/sh', words, { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(shell.stdout, 'data');
  return {
    pid: shell.pid ?? 0,
    end: async () => {
      shell.stdin.end();
      await once(shell, 'close');
    },
  };
}

it('finds a process by its mark, its descendants, and their memory', async () => {
  const family = await startFamily('--mark=proc');
  expect(await findProcesses('--mark=proc', process.pid)).toEqual([family.pid]);
  expect(await findProcesses('--mark=proc', 1)).toEqual([]);
  expect(await listTree(family.pid)).toEqual([family.pid, expect.any(Number)]);
  const bytes = await privateBytesOfTree(family.pid);
  if (process.platform === 'linux') expect(bytes).toBeGreaterThan(5e6);
  expect(bytes).toBeLessThan(1e9);
  await family.end();
  expect(await findProcesses('--mark=proc', process.pid)).toEqual([]);
});

it('finds the same by ps, which systems without /proc use', async () => {
  const family = await startFamily('--mark=ps');
  const listed = (await listByPs()).filter(({ command }) => command.includes('--mark=ps'));
  expect(listed.map(({ pid, parent }) => [pid, parent])).toContainEqual([family.pid, process.pid]);
  expect(listed.map(({ parent }) => parent)).toContain(family.pid);
  await family.end();
});
