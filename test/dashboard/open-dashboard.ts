import { createDatabase } from '@gleaner/db';
import { createSignInLink } from '@gleaner/core';
import { openTestSession } from '@gleaner/core/testing';
import { launchChromium, type BrowserContext, type Page } from '@gleaner/fetching/testing';
import { onTestFinished } from 'vitest';
import type { Client, System } from '../system/start-system.ts';

export type { Page } from '@gleaner/fetching/testing';

/** A browser in front of a running service. */
export interface OpenDashboard {
  /** A page of a browser profile of its own until the test ends, with a session when a client is given. */
  open(options?: OpenOptions): Promise<Page>;
  /** The address of a one-time link. */
  signInUrl(client: Client): Promise<string>;
  close(): Promise<void>;
}

export interface OpenOptions {
  client?: Client;
  /** With nothing cached, and for the test alone, which may change the profile's clock. */
  isFresh?: boolean;
  path?: string;
  width?: number;
  height?: number;
  scheme?: 'light' | 'dark';
}

/**
 * How many times slower than this machine pages and the service's answers are (`GLEANER_TEST_SLOW`): finds what a page
 * does wrong where an answer comes late or in another order.
 */
const SLOWNESS = Number(process.env.GLEANER_TEST_SLOW ?? 1);

/** The longest that an answer is held back, in ms per unit of slowness. */
const HELD_MS = 150;

async function slowDown(context: BrowserContext, page: Page): Promise<void> {
  const session = await context.newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWNESS });
  await context.route('**/v1/**', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * HELD_MS * SLOWNESS));
    await route.fallback().catch(() => {});
  });
}

let launched: ReturnType<typeof launchChromium> | undefined;

/** One for all files that a worker runs; it ends with the worker. */
function sharedBrowser(): ReturnType<typeof launchChromium> {
  launched ??= launchChromium();
  return launched;
}

/**
 * Profiles that no test uses any more, by what they can't change. They hold no session and no data, but the dashboard's
 * files: a page starts with a third of the CPU.
 */
const idle = new Map<string, BrowserContext[]>();

/** Leaves a profile as it began, for a later test; one that can't be cleared is closed. */
async function putBack(kind: string, context: BrowserContext, page: Page, origin: string): Promise<void> {
  try {
    for (const other of context.pages()) if (other !== page) await other.close();
    await page.goto('about:blank');
    await context.unrouteAll({ behavior: 'ignoreErrors' });
    await context.clearPermissions();
    await context.clearCookies();
    const session = await context.newCDPSession(page);
    const storageTypes = 'local_storage,indexeddb,cache_storage,service_workers';
    await session.send('Storage.clearDataForOrigin', { origin, storageTypes });
    await page.close();
    idle.set(kind, [...(idle.get(kind) ?? []), context]);
  } catch {
    await context.close();
  }
}

/** @param databaseUrl the service's database, where sign-in links are made */
export async function openDashboard(
  system: Pick<System, 'baseUrl'>,
  databaseUrl: string,
): Promise<OpenDashboard> {
  const browser = await sharedBrowser();
  const db = createDatabase(databaseUrl, { max: 1 });
  const signInUrl = async (client: Client): Promise<string> =>
    `${system.baseUrl}/sign-in#link=${await createSignInLink(db, client.apiKey)}`;
  return {
    signInUrl,
    open: async ({ client, isFresh, path = '/', width = 1440, height = 900, scheme = 'light' } = {}) => {
      const kind = isFresh === true || SLOWNESS > 1 ? undefined : `${width} ${height} ${scheme}`;
      const kept = kind === undefined ? undefined : idle.get(kind)?.pop();
      const context =
        kept ??
        (await browser.newContext({
          viewport: { width, height },
          colorScheme: scheme,
          reducedMotion: 'reduce',
          locale: 'en-GB',
        }));
      // Long enough for a machine that other tests use.
      context.setDefaultTimeout(120_000);
      if (client) {
        const value = await openTestSession(db, client.apiKey);
        const name = `gleaner_session_${new URL(system.baseUrl).port}`;
        await context.addCookies([{ name, value, url: system.baseUrl, httpOnly: true, sameSite: 'Strict' }]);
      }
      const page = await context.newPage();
      // A page that stays open reads the service again and again.
      onTestFinished(() =>
        kind === undefined ? context.close() : putBack(kind, context, page, system.baseUrl),
      );
      if (SLOWNESS > 1) await slowDown(context, page);
      if (client || path !== '/') await page.goto(`${system.baseUrl}${path}`);
      return page;
    },
    close: () => db.close(),
  };
}
