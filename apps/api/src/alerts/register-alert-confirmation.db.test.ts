import { createWebhookSender, loadConfig, operationTable } from '@gleaner/core';
import { createTestAccount, openTestServices, testContext } from '@gleaner/core/testing';
import fastify from 'fastify';
import { afterAll, expect, it } from 'vitest';
import { registerAlertConfirmation } from './register-alert-confirmation.ts';

const { services, close } = await openTestServices();
afterAll(close);
const config = loadConfig({
  GLEANER_SECRET_KEY: '7'.repeat(64),
  GLEANER_PUBLIC_URL: 'https://gleaner.example',
  GLEANER_SMTP_URL: 'smtp://mail.example',
});

it('confirms the address by the button of the page that the mail links to, and by nothing less', async () => {
  const { accountId } = await createTestAccount(services);
  const create = operationTable.find(({ operation }) => operation.id === 'createAlert');
  const to = { type: 'email', address: 'ada@shop.example' };
  await create?.perform(testContext({ ...services, config }, accountId) as never, {
    params: undefined,
    query: undefined,
    body: { name: 'failures', events: ['job.finished'], to },
    upload: undefined,
  });
  const mails: string[] = [];
  const sender = createWebhookSender({
    db: services.db,
    config,
    log: services.log,
    now: () => new Date(),
    send: () => Promise.reject(new Error('not over HTTP')),
    sendMail: ({ text }) => {
      mails.push(text);
      return Promise.resolve();
    },
  });
  await sender.tick();
  await sender.close();
  const [, path = ''] = /https:\/\/gleaner\.example(\/alerts\/confirm\S+)/.exec(mails[0] ?? '') ?? [];
  const isConfirmed = async () => {
    const [row] = await services.db
      .sql`SELECT confirmed FROM gleaner.webhooks WHERE account_id = ${accountId}`;
    return row?.confirmed as boolean;
  };

  const app = fastify();
  await registerAlertConfirmation(app, { db: services.db, config });
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const post = (url: string) => app.inject({ method: 'POST', url, headers, payload: '' });
  const shown = await app.inject({ method: 'GET', url: path });
  expect(shown.statusCode).toBe(200);
  expect(shown.body).toContain(`action="${path.replace('&', '&amp;')}"`);
  expect(await isConfirmed()).toBe(false);
  expect((await post(`${path.slice(0, -1)}${path.endsWith('A') ? 'B' : 'A'}`)).statusCode).toBe(404);
  expect((await post(`${path}"><script>`)).statusCode).toBe(404);
  expect(await isConfirmed()).toBe(false);
  expect((await post(path)).statusCode).toBe(200);
  expect(await isConfirmed()).toBe(true);
  await app.close();
});
