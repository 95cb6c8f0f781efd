import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { AlertTo, WebhookEvent } from '@gleaner/contracts';
import { confirmAlert, createWebhookSender, loadConfig, operationTable } from '@gleaner/core';
import { ENGINE } from '@gleaner/db';
import { createTestAccount, openTestServices, testContext } from '@gleaner/core/testing';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { sendMail } from './send-mail.ts';

/** Alerts, sent to servers that take what Slack, Discord, ntfy and a mail server take. */

interface Taken {
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}
let taken: Taken[] = [];
let answer = 200;
const http = createServer((request, response) => {
  void text(request).then((body) => {
    taken.push({ url: request.url ?? '', headers: request.headers, body });
    response.writeHead(answer).end();
  });
}).listen(0, '127.0.0.1');

let mails: { to: string[]; mail: string }[] = [];
const smtp = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  onData: (mail, { envelope }, done) => {
    const parts: Buffer[] = [];
    mail.on('data', (part: Buffer) => parts.push(part));
    mail.on('end', () => {
      const to = envelope.rcptTo.map(({ address }) => address);
      mails.push({ to, mail: Buffer.concat(parts).toString('utf8') });
      done();
    });
  },
});
const { services, close } = await openTestServices();
const { sql } = services.db;
await new Promise<void>((ready) => {
  smtp.listen(0, '127.0.0.1', ready);
});
const smtpUrl = `smtp://127.0.0.1:${(smtp.server.address() as AddressInfo).port}`;
const config = loadConfig({
  GLEANER_SECRET_KEY: '7'.repeat(64),
  GLEANER_PUBLIC_URL: 'https://gleaner.example/',
  GLEANER_SMTP_URL: smtpUrl,
});
afterAll(async () => {
  http.close();
  await new Promise<void>((closed) => {
    smtp.close(closed);
  });
  await close();
});
const hook = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;

const { accountId } = await createTestAccount(services);
const ctx = testContext({ ...services, config }, accountId);
const none = { params: undefined, query: undefined, body: undefined, upload: undefined };

/** Calls an operation as a door does, past its validation. */
async function perform<T>(name: string, input: object, by = ctx): Promise<T> {
  const entry = operationTable.find(({ operation }) => operation.id === name);
  if (entry === undefined) throw new Error(`there is no operation ${name}`);
  return (await entry.perform(by as never, { ...none, ...input })) as T;
}

interface Alert {
  id: string;
  confirmed: boolean;
  to: { type: string; shown: string };
}

function createAlert(to: AlertTo, events: WebhookEvent[] = ['job.finished'], filter = { failed: false }) {
  return perform<Alert>('createAlert', { body: { name: 'the shop', events, filter, to } });
}

async function emit(event: WebhookEvent, data: object, resolved = false): Promise<void> {
  await sql`SELECT ${sql(ENGINE)}.emit_event(${accountId}, ${event}, ${JSON.stringify(data)}::text::json,
    p_resolved => ${resolved})`;
}

/** Sends what waits, as if it had waited long enough. */
async function send(): Promise<void> {
  await sql`UPDATE gleaner.outbox SET next_attempt_at = due_at - interval '1 hour' WHERE state = 'pending'`;
  await sql`UPDATE gleaner.webhooks SET resumes_at = NULL`;
  const sender = createWebhookSender({
    db: services.db,
    config,
    log: services.log,
    now: () => new Date(),
    send: async ({ url, headers, body, signal }) => {
      const { status } = await fetch(url, { method: 'POST', headers, body, signal });
      return { status };
    },
    sendMail: sendMail(smtpUrl),
  });
  await sender.tick();
  await sender.close();
}

/** What a page said: markup of each channel, mentions, links and a line of its own. */
const HOSTILE = '<!channel> @everyone [win](https://evil.example) *bold*\r\nBcc: all@evil.example';
const FAILED = { id: 'job_1', status: 'failed', error: { error: 'extraction failed', detail: HOSTILE } };

beforeEach(async () => {
  await sql`DELETE FROM gleaner.outbox`;
  await sql`DELETE FROM gleaner.webhooks`;
  await sql`DELETE FROM gleaner.alert_mails`;
  taken = [];
  mails = [];
  answer = 200;
});

it('shows where an alert goes only by its host, and no webhook', async () => {
  const made = await createAlert({ type: 'slack', url: 'https://hooks.slack.example/services/T0/SECRET' });
  expect(made.to).toEqual({ type: 'slack', shown: 'https://hooks.slack.example/…' });
  expect(await perform('listAlerts', { query: { limit: 20 } })).toMatchObject({ alerts: [{ id: made.id }] });
  expect(await perform('listWebhooks', { query: { limit: 20 } })).toMatchObject({ webhooks: [] });
  await expect(perform('getWebhook', { params: { id: made.id } })).rejects.toThrow('not found');
  const [row] = await sql`SELECT row_to_json(w)::text AS row FROM gleaner.webhooks w`;
  expect(row?.row).not.toContain('SECRET');
});

it('says in Slack what failed, without markup, mentions or links of the page', async () => {
  await createAlert({ type: 'slack', url: `${hook}/slack` });
  await emit('job.finished', FAILED);
  await send();
  const [message] = taken;
  const body = JSON.parse(message?.body ?? '') as { text: string; mrkdwn: boolean };
  expect(body).toMatchObject({ mrkdwn: false, unfurl_links: false });
  expect(body.text).toContain('A job has failed (the shop)');
  expect(body.text).toContain('https://gleaner.example/runs/jobs/job_1');
  expect(body.text).toContain('&lt;!channel&gt;');
  expect(body.text).not.toMatch(/<!channel>|https:\/\/evil|@everyone/);
});

it('says it in Discord, where nobody is mentioned', async () => {
  await createAlert({ type: 'discord', url: `${hook}/discord` });
  await emit('job.finished', FAILED);
  await send();
  const body = JSON.parse(taken[0]?.body ?? '') as { content: string };
  expect(body).toMatchObject({ allowed_mentions: { parse: [] }, flags: 4 });
  expect(body.content).toContain('<https://gleaner.example/runs/jobs/job_1>');
  expect(body.content).toContain('\\[win\\]\\(');
  expect(body.content.length).toBeLessThanOrEqual(2_000);
});

it('says it at a topic of ntfy, with its token', async () => {
  await createAlert({ type: 'ntfy', url: `${hook}/topic`, token: 'tk_secret' });
  await emit('job.finished', FAILED);
  await send();
  const [message] = taken;
  expect(message?.url).toBe('/topic');
  expect(message?.headers).toMatchObject({
    title: 'A job has failed',
    click: 'https://gleaner.example/runs/jobs/job_1',
    authorization: 'Bearer tk_secret',
  });
  expect(message?.body.split('\n')[0]).toMatch(/^Job job_1 failed: extraction failed/);
  expect(Buffer.byteLength(message?.body ?? '')).toBeLessThanOrEqual(4_096);
});

it('posts it as JSON with the signature of the account', async () => {
  await createAlert({ type: 'webhook', url: `${hook}/own` });
  await emit('job.finished', FAILED);
  await send();
  const [message] = taken;
  const { secret } = await perform<{ secret: string }>('getWebhookSecret', {});
  const {
    'webhook-id': id,
    'webhook-timestamp': time,
    'webhook-signature': signature,
  } = message?.headers ?? {};
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signed = createHmac('sha256', key).update(`${String(id)}.${String(time)}.${message?.body}`);
  expect(signature).toBe(`v1,${signed.digest('base64')}`);
  expect(JSON.parse(message?.body ?? '')).toMatchObject({
    type: 'alert',
    title: 'A job has failed',
    counts: { 'job.finished.failed': 1 },
    events: [{ data: { id: 'job_1' } }],
  });
});

it('sends an e-mail only once the owner of the address has confirmed it', async () => {
  const to = { type: 'email', address: 'ada@shop.example' } as const;
  const made = await createAlert(to);
  expect(made).toMatchObject({ confirmed: false, to: { shown: 'a…@shop.example' } });
  await emit('job.finished', FAILED);
  await send();
  expect(mails).toHaveLength(1);
  // The address is asked once a day, whoever wants it.
  await expect(createAlert(to)).rejects.toThrow('plan limit exceeded');
  // Lines that are too long for a mail are broken.
  const question = mails[0]?.mail.replaceAll('=\r\n', '').replaceAll('=3D', '=') ?? '';
  const [, token = ''] = /alert=alr_\w+&token=([\w-]+)/.exec(question) ?? [];
  expect(
    JSON.stringify(await perform('listAlertDeliveries', { params: { id: made.id }, query: { limit: 20 } })),
  ).not.toContain(token);
  const { secretKey } = config;
  expect(await confirmAlert(services.db, secretKey, { id: made.id, token: 'x'.repeat(43) })).toBe(false);
  expect(await confirmAlert(services.db, secretKey, { id: made.id, token })).toBe(true);
  await emit('job.finished', FAILED);
  await send();
  expect(mails).toHaveLength(2);
  const { to: recipients, mail } = mails[1] ?? { to: [], mail: '' };
  expect(recipients).toEqual(['ada@shop.example']);
  expect(mail).toMatch(/^Subject: Gleaner: A job has failed\r$/m);
  expect(mail).not.toMatch(/^Bcc:/im);
});

it('makes one message of 500 failures, and says that one has passed', async () => {
  const { id } = await createAlert({ type: 'ntfy', url: `${hook}/topic` }, ['cron.failed'], { failed: true });
  for (let n = 1; n <= 500; n += 1)
    await emit('cron.failed', {
      id: `crn_${n}`,
      name: `cron ${n}`,
      reason: 'no answer',
      paused_reason: null,
    });
  await send();
  expect(taken).toHaveLength(1);
  expect(taken[0]?.headers.title).toBe('500 failures of crons');
  expect(taken[0]?.body).toContain('Cron cron 1 failed: no answer');
  expect(taken[0]?.body).toContain('and 490 more');
  expect(await perform('listAlertDeliveries', { params: { id }, query: { limit: 20 } })).toMatchObject({
    deliveries: [{ status: 'delivered', payload: { counts: { 'cron.failed': 500 } } }],
  });
  await emit('cron.failed', { id: 'crn_1', name: 'cron 1', reason: null }, true);
  await send();
  expect(taken[1]?.headers.title).toBe('Resolved: a cron succeeds again');
});

it('keeps the events of a message that failed for its next attempt, and is silent for a minute after one', async () => {
  const { id } = await createAlert({ type: 'slack', url: hook });
  answer = 500;
  await emit('job.finished', FAILED);
  await emit('job.finished', FAILED);
  await send();
  answer = 200;
  await emit('job.finished', FAILED);
  await send();
  expect(taken.map(({ body }) => (JSON.parse(body) as { text: string }).text.split('\n')[0])).toEqual([
    '2 jobs have failed (the shop)',
    '3 jobs have failed (the shop)',
  ]);
  const [row] =
    await sql`SELECT resumes_at > now() + interval '30 seconds' AS is_quiet FROM gleaner.webhooks WHERE id = ${id}`;
  expect(row).toEqual({ is_quiet: true });
});

it('reports failed runs alone where it is asked to, and sends webhooks no resolved events', async () => {
  await createAlert({ type: 'slack', url: hook }, ['batch.finished', 'credits.low'], { failed: true });
  await perform('createWebhook', { body: { url: `${hook}/plain`, events: ['credits.low'] } });
  await emit('batch.finished', {
    id: 'bat_1',
    status: 'succeeded',
    counts: { total: 2, succeeded: 2, failed: 0 },
  });
  await emit('credits.low', { balance: 5 }, true);
  await send();
  expect(taken.map(({ url }) => url)).toEqual(['/']);
  expect(taken[0]?.body).toContain('Resolved: credits are no longer low');
});

it('sends a test at once to an alert and to a webhook', async () => {
  const alert = await createAlert({ type: 'slack', url: `${hook}/slack` });
  const webhook = await perform<Alert>('createWebhook', {
    body: { url: `${hook}/plain`, events: ['job.finished'] },
  });
  await perform('testAlert', { params: { id: alert.id } });
  await perform('testWebhook', { params: { id: webhook.id } });
  await send();
  expect(taken.map(({ url }) => url).toSorted()).toEqual(['/plain', '/slack']);
  expect(taken.find(({ url }) => url === '/slack')?.body).toContain('This is a test of the alert the shop');
  expect(JSON.parse(taken.find(({ url }) => url === '/plain')?.body ?? '')).toMatchObject({
    type: 'webhook.test',
  });
});
