import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { verifyWebhook } from './verify-webhook.ts';

const secret = `whsec_${Buffer.from('a secret of twenty-four.').toString('base64')}`;
const other = `whsec_${Buffer.from('another secret of twenty').toString('base64')}`;
const body = JSON.stringify({
  type: 'job.finished',
  timestamp: '2026-01-01T00:00:00.000Z',
  data: { name: 'Grüße' },
});

function sign(payload: string, key = secret, at = new Date()): Record<string, string> {
  return {
    'webhook-id': 'dlv_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(key).sign('dlv_1', at, payload),
  };
}

test('accepts random texts signed by the Standard Webhooks library', async () => {
  await fc.assert(
    fc.asyncProperty(fc.json(), fc.uint8Array({ minLength: 24, maxLength: 64 }), async (payload, key) => {
      const random = `whsec_${Buffer.from(key).toString('base64')}`;
      const event = await verifyWebhook(payload, sign(payload, random), random);
      expect(event).toEqual(JSON.parse(payload));
    }),
    { numRuns: 100 },
  );
});

test('accepts bytes, headers of any kind and case, and both secrets during a replacement', async () => {
  const headers = sign(body);
  const bytes = new TextEncoder().encode(body);
  const event = JSON.parse(body) as unknown;
  expect(await verifyWebhook(bytes, new Headers(headers), secret)).toEqual(event);
  const upper = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]),
  );
  expect(await verifyWebhook(body, upper, [other, secret])).toEqual(event);
  const two = {
    ...headers,
    'webhook-signature': `v2,xx ${sign(body, other)['webhook-signature']} ${headers['webhook-signature']}`,
  };
  expect(await verifyWebhook(body, two, secret)).toEqual(event);
});

test.each<[string, string, Record<string, string>, string]>([
  ['another body', `${body} `, sign(body), secret],
  ['another secret', body, sign(body, other), secret],
  ['no secret at all', body, sign(body), 'whsec_'],
  ['a secret that is not base64', body, sign(body), 'whsec_§'],
  ['an old timestamp', body, sign(body, secret, new Date(Date.now() - 400_000)), secret],
  ['a timestamp of the future', body, sign(body, secret, new Date(Date.now() + 400_000)), secret],
  [
    'a timestamp that was changed',
    body,
    { ...sign(body), 'webhook-timestamp': String(Math.floor(Date.now() / 1000) - 1) },
    secret,
  ],
  ['a timestamp that is no number', body, { ...sign(body), 'webhook-timestamp': 'now' }, secret],
  ['another id', body, { ...sign(body), 'webhook-id': 'dlv_2' }, secret],
  ['a missing signature', body, { ...sign(body), 'webhook-signature': '' }, secret],
  [
    'a signature of another version',
    body,
    { ...sign(body), 'webhook-signature': sign(body)['webhook-signature']?.replace('v1,', 'v2,') ?? '' },
    secret,
  ],
  ['a signature that is not base64', body, { ...sign(body), 'webhook-signature': 'v1,§§' }, secret],
  ['signed text that is not JSON', 'text', sign('text'), secret],
])('refuses %s', async (_what, payload, headers, key) => {
  await expect(verifyWebhook(payload, headers, key)).rejects.toMatchObject({
    name: 'GleanerError',
    code: 'invalid webhook',
  });
});
