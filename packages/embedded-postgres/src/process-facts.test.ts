import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { commandLine, psField } from './process-facts.ts';

// Systems without /proc depend on these answers, so they are checked on every system that has `ps`.

it('reads a long command whole', async () => {
  const folder = `/srv/${'long/'.repeat(60)}data`;
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()', '--', '-D', folder, 'end']);
  await once(child, 'spawn');
  expect(psField(child.pid ?? 0, 'command')).toContain(` -D ${folder} end`);
  expect(psField(child.pid ?? 0, 'command')).toBe(commandLine(child.pid ?? 0));
  child.stdin.end();
  await once(child, 'close');
  expect(psField(child.pid ?? 0, 'command')).toBe('');
});

it('names the start of a process in the same words, whatever the zone and language of the caller', () => {
  const before = psField(process.pid, 'lstart');
  expect(before).toMatch(/^[A-Z][a-z]{2} [A-Z][a-z]{2} +\d+ \d\d:\d\d:\d\d \d{4}$/);
  const { TZ, LC_ALL } = process.env;
  Object.assign(process.env, { TZ: 'Asia/Tokyo', LC_ALL: 'de_DE.UTF-8' });
  expect(psField(process.pid, 'lstart')).toBe(before);
  for (const [name, value] of Object.entries({ TZ, LC_ALL })) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
});

it('shows the state of a process', () => {
  expect(psField(process.pid, 'stat')).toMatch(/^[RSD]/);
});
