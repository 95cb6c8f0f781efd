import { createDatabase } from '@gleaner/db';
import { createSignInLink } from '@gleaner/core';
import { openTestSession } from '@gleaner/core/testing';
import { launchChromium, type BrowserContext, type Page } from '@gleaner/fetching/testing';
import type { Client, System } from '../system/start-system.ts';

export type { Page } from '@gleaner/fetching/testing';

/** A browser in front of a running service. */
export interface OpenDashboard {
  /** A page of a browser profile of its own, with a session when a client is given. */
  open(options?: OpenOptions): Promise<Page>;
  /** The address of a one-time link. */
  signInUrl(client: Client): Promise<string>;
  close(): Promise<void>;
}

export interface OpenOptions {
  client?: Client;
  /** The cookies of another page. */
  state?: Awaited<ReturnType<BrowserContext['storageState']>>;
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

/** @param databaseUrl the service's database, where sign-in links are made */
export async function openDashboard(
  system: Pick<System, 'baseUrl'>,
  databaseUrl: string,
): Promise<OpenDashboard> {
  const browser = await launchChromium();
  const db = createDatabase(databaseUrl, { max: 1 });
  const contexts: BrowserContext[] = [];
  const signInUrl = async (client: Client): Promise<string> =>
    `${system.baseUrl}/sign-in#link=${await createSignInLink(db, client.apiKey)}`;
  return {
    signInUrl,
    open: async ({ client, state, path = '/', width = 1440, height = 900, scheme = 'light' } = {}) => {
      const context = await browser.newContext({
        ...(state === undefined ? {} : { storageState: state }),
        viewport: { width, height },
        colorScheme: scheme,
        reducedMotion: 'reduce',
        locale: 'en-GB',
      });
      // Long enough for a machine that other tests use.
      context.setDefaultTimeout(120_000);
      contexts.push(context);
      if (client) {
        const value = await openTestSession(db, client.apiKey);
        const name = `gleaner_session_${new URL(system.baseUrl).port}`;
        await context.addCookies([{ name, value, url: system.baseUrl, httpOnly: true, sameSite: 'Strict' }]);
      }
      const page = await context.newPage();
      if (SLOWNESS > 1) await slowDown(context, page);
      if (client || path !== '/') await page.goto(`${system.baseUrl}${path}`);
      return page;
    },
    close: async () => {
      for (const context of contexts) await context.close();
      await browser.close();
      await db.close();
    },
  };
}
