import type { Fetcher, RawRequest } from '@gleaner/fetching';
import { expect, it } from 'vitest';
import { sendWebhook } from './send-webhook.ts';

it('leaves the time limit of 15 s to the sender, whose text the delivery log shows', async () => {
  const requests: RawRequest[] = [];
  const fetchRaw: Fetcher['fetchRaw'] = (request) => {
    requests.push(request);
    return Promise.reject(new Error('not sent'));
  };
  const { signal } = new AbortController();
  const sent = sendWebhook({ fetchRaw } as Fetcher)({
    url: 'http://hook.test/',
    headers: {},
    body: '',
    signal,
  });
  await expect(sent).rejects.toThrow('not sent');
  expect(requests[0]?.signal).toBe(signal);
  expect((requests[0]?.deadlineAt ?? 0) - Date.now()).toBeGreaterThan(20_000);
});
