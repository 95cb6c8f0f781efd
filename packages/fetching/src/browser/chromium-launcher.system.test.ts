import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createChromiumLauncher } from './chromium-launcher.ts';
import { findChromium } from './find-chromium.ts';

let folder = '';
let chromiumPath = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gleaner-chromium-'));
  chromiumPath = (await findChromium({ playwrightPath: chromium.executablePath() })).path;
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Chromium on a machine that does `command` when it is asked to run with its sandbox. */
async function machineWhere(name: string, command: string): Promise<string> {
  const path = join(folder, name);
  const script = `#!/bin/sh
case " $* " in
  *" --no-sandbox "*) exec '${chromiumPath}' "$@" ;;
esac
${command}
`;
  await writeFile(path, script);
  await chmod(path, 0o755);
  return path;
}

function launcherOf(executablePath: string) {
  const reports: string[] = [];
  const launcher = createChromiumLauncher(chromium, {
    executablePath,
    sandbox: true,
    onNoSandbox: (reason) => reports.push(reason),
    onProbed: (isSandboxed) => reports.push(isSandboxed ? 'sandboxed' : 'not sandboxed'),
    onLaunch: () => undefined,
  });
  return { launcher, reports };
}

const NO_NAMESPACES = 'echo "No usable sandbox!" >&2; exit 1';

it('runs without its sandbox on a machine that gives none, says why, and does not try again', async () => {
  const { launcher, reports } = launcherOf(await machineWhere('no-namespaces', NO_NAMESPACES));
  const first = await launcher.launch();
  const second = await launcher.launch();
  await Promise.all([first.close(), second.close()]);
  expect(reports).toEqual(['this machine does not allow user namespaces', 'not sandboxed']);
});

it('runs without its sandbox where it starts with one, but its pages die', async () => {
  const dying = `exec '${chromiumPath}' --no-sandbox --no-zygote --renderer-cmd-prefix=/bin/false "$@"`;
  const { launcher, reports } = launcherOf(await machineWhere('dying-pages', dying));
  const browser = await launcher.launch();
  await browser.close();
  expect(reports).toEqual([
    expect.stringMatching(/^Chromium starts, but no page loads with its sandbox: /),
    'not sandboxed',
  ]);
});

it('writes nothing to its output that a page says: Playwright reads lines of any length there', async () => {
  const output = join(folder, 'output');
  const command = `exec '${chromiumPath}' --no-sandbox "$@" 2>'${output}'`;
  const { launcher } = launcherOf(await machineWhere('kept-output', command));
  const browser = await launcher.launch();
  const page = await (await browser.newContext()).newPage();
  const isSaid = page.waitForEvent('console');
  await page.goto('data:text/html,<script>console.error("said by a page")</script>');
  await isSaid;
  await browser.close();
  expect(await readFile(output, 'utf8')).not.toContain('said by a page');
});
