import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { sendError, fromTransport } from './send-error.ts';

test('a body that the client broke off is its own fault, that of a database is not', () => {
  const reset = (message: string, more: object): Error =>
    Object.assign(new Error(message), { code: 'ECONNRESET', ...more });
  expect(fromTransport(reset('aborted', { statusCode: 400 }))).toMatchObject({ code: 'invalid_request' });
  const broken = reset('read ECONNRESET', {});
  expect(fromTransport(broken)).toBe(broken);
});

test('a client that went away is logged as no fault of ours; what else fails then is', async () => {
  const logged: string[] = [];
  const stream = { write: (line: string) => void logged.push(line) };
  const app = Fastify({ logger: { level: 'warn', stream } });
  app.decorateRequest('call', null);
  app.setErrorHandler((error, request, reply) => sendError(request, reply, error));
  app.get('/:what', async (request) => {
    const signal = AbortSignal.abort();
    request.call = { signal } as unknown as typeof request.call;
    throw request.url === '/left' ? signal.reason : new Error('broken');
  });
  expect((await app.inject('/left')).statusCode).toBe(503);
  expect(logged).toEqual([]);
  expect((await app.inject('/broken')).statusCode).toBe(500);
  expect(logged).toHaveLength(1);
  await app.close();
});
