import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '@gleaner/embedded-postgres';
import { largePage } from '../test/dashboard/large-page.ts';
import { buildDashboard } from '../test/dashboard/build-dashboard.ts';
import { openDashboard, type OpenDashboard } from '../test/dashboard/open-dashboard.ts';
import { clickInPage, openHtml } from '../test/dashboard/studio-actions.ts';
import { startSystem, type System } from '../test/system/start-system.ts';
import { timeKey } from './dashboard/time-key.ts';
import { printResult, printTable } from './load/output.ts';
import { median, rounded } from './load/statistics.ts';

/** Bars of the design, for a quiet machine. */
const BARS = { keystrokeMs: 150, interactiveMs: 1_000, signInKb: 200 };
const KEYS = 12;
const ROUNDS = 5;

interface World {
  system: System;
  dashboard: OpenDashboard;
}

/** Milliseconds from a key in a field's source to its new value, on a page of 500 KB. */
async function timeKeystrokes({ system, dashboard }: World): Promise<number[]> {
  const page = await dashboard.open({ client: await system.client() });
  await openHtml(page, system.baseUrl, largePage());
  await clickInPage(page, '.v1');
  await page.getByRole('region', { name: 'Values' }).getByText('value number 1').waitFor();
  const selector = page.getByRole('textbox', { name: 'Source', exact: true }).first();
  await selector.fill('.v1');
  const times: number[] = [];
  for (let round = 0; round < KEYS; round += 1) {
    const next = (round % 4) + 2;
    await selector.press('End');
    await selector.press('Backspace');
    times.push(await timeKey(page, selector, String(next), `value number ${next}`));
  }
  return times;
}

interface Load {
  times: number[];
  requests: number;
  kb: number;
}

/** A page of the dashboard in new profiles, until it takes input; signed in when a client is given. */
async function timeLoads({ system, dashboard }: World, path: string, isSignedIn: boolean): Promise<Load> {
  const times: number[] = [];
  let sizes: Promise<{ responseBodySize: number }>[] = [];
  const label = isSignedIn ? 'Address of a page' : 'API key';
  for (let round = 0; round < ROUNDS; round += 1) {
    const first = await dashboard.open(isSignedIn ? { client: await system.client() } : {});
    const state = await first.context().storageState();
    const context = await first.context().browser()?.newContext({ storageState: state });
    if (!context) throw new Error('the browser is gone');
    const page = await context.newPage();
    sizes = [];
    page.on('response', (response) => void sizes.push(response.request().sizes()));
    await page.goto(`${system.baseUrl}${path}`);
    await page.getByRole('textbox', { name: label }).waitFor();
    times.push(await page.evaluate(() => performance.now()));
    await page.waitForLoadState('networkidle');
    await context.close();
    await first.context().close();
  }
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size.responseBodySize, 0);
  return { times, requests: sizes.length, kb: Math.round(bytes / 1000) };
}

function line(what: string, times: readonly number[], bar: number) {
  const middle = median(times);
  return {
    what,
    'median ms': Math.round(middle),
    'least ms': Math.round(Math.min(...times)),
    'bar ms': bar,
    'of the bar': rounded(middle / bar, 2),
  };
}

/** How fast the dashboard answers, beside the bars of its design; requests and bytes do not depend on the machine. */
export async function run(): Promise<void> {
  buildDashboard();
  const folder = await mkdtemp(join(tmpdir(), 'gleaner-bench-'));
  await chmod(folder, 0o711);
  const postgres = await startPostgres({ dataDir: folder, durable: true, log: () => undefined });
  const system = await startSystem({ databaseUrl: postgres.url });
  const dashboard = await openDashboard(system, postgres.url);
  try {
    const world = { system, dashboard };
    const keys = await timeKeystrokes(world);
    const signIn = await timeLoads(world, '/sign-in', false);
    const first = await timeLoads(world, '/parsers', true);
    const lines = [
      line('keystroke to value, page of 500 KB', keys, BARS.keystrokeMs),
      line('sign-in page takes input', signIn.times, BARS.interactiveMs),
      line('first page of an account takes input', first.times, BARS.interactiveMs),
    ];
    printTable(lines);
    printTable([
      { page: 'sign-in', requests: signIn.requests, 'KB compressed': signIn.kb, 'bar KB': BARS.signInKb },
      { page: 'first of an account', requests: first.requests, 'KB compressed': first.kb },
    ]);
    printResult({
      load: rounded(loadavg()[0] ?? 0, 1),
      lines,
      signIn: { requests: signIn.requests, kb: signIn.kb },
      first: { requests: first.requests, kb: first.kb },
    });
  } finally {
    await dashboard.close();
    await system.stop();
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
