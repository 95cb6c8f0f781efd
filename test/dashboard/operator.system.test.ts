import { afterAll, beforeAll, expect, it } from 'vitest';
import { callApi, OPERATOR_PASSWORD } from '../system/start-system.ts';
import { startDashboard, type Dashboard } from './start-dashboard.ts';

let dashboard: Dashboard;

beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard.close());

it('shows the operator health, accounts and queues within one session', async () => {
  // Nobody is signed in to an account: the operator needs none.
  const page = await dashboard.open({ path: '/admin' });
  await page.getByRole('textbox', { name: 'Operator password' }).fill(OPERATOR_PASSWORD);
  await page.getByRole('button', { name: 'Open', exact: true }).click();
  await page.getByRole('cell', { name: 'interactive-http' }).waitFor();
  await page.getByText('takes work').first().waitFor();

  // The one queue that no test uses.
  const queue = page.getByRole('row', { name: /batch-browser/ });
  await queue.getByRole('button', { name: 'Pause', exact: true }).click();
  await page.getByRole('button', { name: 'Pause queue' }).click();
  await page.getByText('batch-browser, paused').waitFor();
  const isPaused = async (): Promise<boolean> =>
    (await dashboard.system.db.sql`SELECT 1 FROM gleaner.queue_pauses WHERE queue = 'batch-browser'`).length >
    0;
  expect(await isPaused()).toBe(true);
  await queue.getByRole('button', { name: 'Resume', exact: true }).click();
  await expect.poll(isPaused).toBe(false);
  await page.getByText('batch-browser, paused').waitFor({ state: 'detached' });

  await page.getByText('Accounts', { exact: true }).click();
  await page.getByRole('button', { name: 'New account' }).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('newcomer');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  const key = await page.getByRole('region', { name: 'API key' }).textContent();
  const credits = async (): Promise<unknown> =>
    (await callApi(dashboard.system.baseUrl, key?.trim(), { method: 'GET', path: '/v1/credits' })).json;
  expect(await credits()).toMatchObject({ creditBalance: 10_000 });
  await page.getByRole('button', { name: 'I have copied it' }).click();

  await page.getByRole('button', { name: 'newcomer' }).click();
  await page.getByRole('textbox', { name: 'Add credits' }).fill('500');
  await page.getByRole('textbox', { name: 'Pages and requests at once' }).fill('7');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('cell', { name: '10,500' }).waitFor();
  expect(await credits()).toMatchObject({ creditBalance: 10_500 });

  await page.getByRole('button', { name: 'newcomer' }).click();
  await page.getByText('0 of 7 slots are in use').waitFor();
  await page.getByRole('button', { name: 'Erase …' }).click();
  const erase = page.getByRole('button', { name: 'Erase account' });
  expect(await erase.isDisabled()).toBe(true);
  await page.getByRole('textbox', { name: 'Type newcomer to confirm' }).fill('newcomer');
  await erase.click();
  await expect.poll(credits).toMatchObject({ error: 'invalid or inactive api_key' });
  await erase.waitFor({ state: 'detached' });

  await page.getByText('Queues', { exact: true }).click();
  const board = page.frameLocator('iframe[title="Queues"]');
  await board.getByText('batch-http').first().waitFor();
  const authorization = `Basic ${Buffer.from(`operator:${OPERATOR_PASSWORD}`).toString('base64')}`;
  const listed = await fetch(`${dashboard.system.baseUrl}/admin/queues/api/queues`, {
    headers: { authorization },
  });
  const shown = await fetch(`${dashboard.system.baseUrl}/admin/queues/`, { headers: { authorization } });
  const text = await shown.text();
  expect(text).toContain('Back to Gleaner');
  expect(text).not.toMatch(/(href|src)="https?:/);
  for (const method of ['PUT', 'POST', 'DELETE'])
    expect(
      (
        await fetch(`${dashboard.system.baseUrl}/admin/queues/api/queues`, {
          method,
          headers: { authorization },
        })
      ).status,
    ).toBe(404);
  const { queues } = (await listed.json()) as { queues: { name: string; hasWorkers: boolean | null }[] };
  // The tests' worker fetches without a browser.
  expect(Object.fromEntries(queues.map(({ name, hasWorkers }) => [name, hasWorkers]))).toEqual({
    // The workers of the other queues run them.
    runs: null,
    'interactive-http': true,
    'interactive-browser': false,
    'batch-http': true,
    'batch-browser': false,
    crons: true,
  });
  await page.getByRole('button', { name: 'End operator session' }).click();
  await page.getByRole('textbox', { name: 'Operator password' }).waitFor();
});

it('answers about accounts and health to an operator’s own page alone', async () => {
  const { baseUrl } = dashboard.system;
  const own = { 'x-gleaner-dashboard': '1' };
  const ask = (method: string, path: string, headers: Record<string, string>, body?: unknown) =>
    callApi(baseUrl, undefined, { method, path, ...(body === undefined ? {} : { body }), init: { headers } });
  const client = await dashboard.system.client();
  const cookieOf = (answer: { headers: Headers }): string =>
    (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const account = cookieOf(await ask('POST', '/session', own, { api_key: client.apiKey }));
  const operator = cookieOf(await ask('POST', '/session/operator', own, { password: OPERATOR_PASSWORD }));
  for (const path of ['/admin/api/health', '/admin/api/accounts']) {
    expect((await ask('GET', path, own)).status).toBe(401);
    expect((await ask('GET', path, { ...own, cookie: account })).status).toBe(401);
    expect((await ask('GET', path, { cookie: operator })).status).toBe(401);
    expect(
      (await ask('GET', path, { ...own, cookie: operator, origin: 'https://elsewhere.example' })).status,
    ).toBe(401);
    expect((await ask('GET', path, { ...own, cookie: operator })).status).toBe(200);
  }
  const change = { grant: 1_000 };
  expect(
    (await ask('PUT', `/admin/api/accounts/${client.accountId}`, { ...own, cookie: account }, change)).status,
  ).toBe(401);
  const wrong = await ask(
    'PUT',
    `/admin/api/accounts/${client.accountId}`,
    { ...own, cookie: operator },
    { concurrency: 0 },
  );
  expect(wrong.status).toBe(400);
});

it('makes a key, shows it once, rotates it and revokes the old one', async () => {
  const client = await dashboard.system.client();
  const page = await dashboard.open({ client, path: '/keys' });
  await page.getByRole('button', { name: 'New key', exact: true }).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('production');
  // What was typed, and a key that is shown once, stay when Esc is pressed.
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Create key' }).click();
  const shown = page.getByRole('region', { name: 'API key' });
  const first = ((await shown.textContent()) ?? '').trim();
  await page.keyboard.press('Escape');
  const statusOf = async (key: string): Promise<number> =>
    (await callApi(dashboard.system.baseUrl, key, { method: 'GET', path: '/v1/credits' })).status;
  expect(await statusOf(first)).toBe(200);
  await page.getByRole('button', { name: 'I have copied it' }).click();
  expect(await page.content()).not.toContain(first);

  await page.getByRole('button', { name: 'More for production' }).click();
  await page.getByRole('menuitem', { name: 'Rotate' }).click();
  await page.getByRole('button', { name: 'Create key' }).click();
  const second = ((await shown.textContent()) ?? '').trim();
  expect(second).not.toBe(first);
  expect(await statusOf(first)).toBe(200);
  await page.getByRole('button', { name: 'Revoke the old one now' }).click();
  await page.getByText('revoked', { exact: true }).waitFor();
  await expect.poll(() => statusOf(first)).toBe(401);
  expect(await statusOf(second)).toBe(200);
});

it('lets nobody touch the keys of another account', async () => {
  const own = { 'x-gleaner-dashboard': '1' };
  const ask = (method: string, path: string, headers: Record<string, string>, body?: unknown) =>
    callApi(dashboard.system.baseUrl, undefined, {
      method,
      path,
      ...(body === undefined ? {} : { body }),
      init: { headers },
    });
  const cookieFor = async (apiKey: string): Promise<string> =>
    ((await ask('POST', '/session', own, { api_key: apiKey })).headers.get('set-cookie') ?? '').split(
      ';',
    )[0] ?? '';
  const one = { ...own, cookie: await cookieFor((await dashboard.system.client()).apiKey) };
  const other = { ...own, cookie: await cookieFor((await dashboard.system.client()).apiKey) };
  const { json } = await ask('GET', '/v1/keys', other);
  const [key] = (json as { keys: { id: string }[] }).keys;
  expect((await ask('DELETE', `/v1/keys/${key?.id}`, one)).status).toBe(404);
  expect((await ask('DELETE', `/v1/keys/${key?.id}`, { cookie: other.cookie })).status).toBe(401);
  expect((await ask('GET', '/v1/keys', own)).status).toBe(401);
});
