import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';

const WATCHDOG = new URL('watchdog.ts', import.meta.url).href;

/** A process whose watchdog waits for five ticks of 40 ms. */
function start(code: string, flags: string[] = []) {
  const source = `import { watchMainLoop } from ${JSON.stringify(WATCHDOG)};
    watchMainLoop({ name: 'tried', silentTicks: 5, tickMs: 40 });
    ${code}`;
  const child = spawn(process.execPath, [...flags, '--input-type=module', '--eval', source], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return { child, exit: once(child, 'exit'), output: text(child.stdout) };
}

it.each([
  ['loops', 'for (;;);'],
  [
    'computes in native code',
    "(await import('node:crypto')).pbkdf2Sync('a', 'b', 2 ** 31 - 1, 32, 'sha256');",
  ],
])('ends a process that %s, and says why', async (_, hang) => {
  const { exit, output } = start(`setTimeout(async () => { ${hang} }, 200);`);
  expect(await exit).toEqual([null, 'SIGKILL']);
  expect(JSON.parse(await output)).toMatchObject({
    level: 60,
    process: 'tried',
    msg: 'the process hangs; ending it',
    reason: expect.stringContaining('5 ticks') as string,
  });
});

it('lets a stopped process, an idle one and one with a debugger live', async () => {
  const stopped = start(
    "console.log('on'); process.on('SIGUSR2', () => process.exit(7)); setInterval(() => {}, 1e6);",
  );
  const debugged = start(
    "console.log('on'); setTimeout(() => { const end = Date.now() + 1000; while (Date.now() < end); process.exit(7); }, 300);",
    ['--inspect=127.0.0.1:0'],
  );
  await once(stopped.child.stdout, 'data');
  stopped.child.kill('SIGSTOP');
  // Several times what the watchdog waits.
  await delay(1_000);
  stopped.child.kill('SIGCONT');
  await delay(500);
  stopped.child.kill('SIGUSR2');
  expect(await stopped.exit).toEqual([7, null]);
  expect(await debugged.exit).toEqual([7, null]);
});
