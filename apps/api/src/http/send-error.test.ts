import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { sendError, fromTransport } from './send-error.ts';

test('a truncated body is a fault of the client, a lost database connection is not', () => {
  const reset = (message: string, more: object): Error =>
    Object.assign(new Error(message), { code: 'ECONNRESET', ...more });
  expect(fromTransport(reset('aborted', { statusCode: 400 }))).toMatchObject({ code: 'invalid_request' });
  const broken = reset('read ECONNRESET', {});
  expect(fromTransport(broken)).toBe(broken);
});

test('a disconnected client is not logged as a fault; other failures are', async () => {
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
