import { createRateLimiter } from '@gleaner/core';
import { createTestDatabase, type TestDatabase } from '@gleaner/db/testing';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { guardOperator } from './operator-guard.ts';

let database: TestDatabase;
let app: FastifyInstance;

beforeAll(async () => {
  database = await createTestDatabase();
  app = Fastify();
  await app.register(async (scope) => {
    guardOperator(scope, {
      password: 'the right one',
      rateLimiter: createRateLimiter({ sql: database.db.sql }),
      db: database.db,
    });
    scope.get('/board', async () => 'board');
  });
});
afterAll(async () => {
  await app.close();
  await database.close();
});

function visit(remoteAddress: string, password?: string) {
  return app.inject({
    url: '/board',
    remoteAddress,
    headers:
      password === undefined
        ? {}
        : { authorization: `Basic ${Buffer.from(`operator:${password}`).toString('base64')}` },
  });
}

it('rejects even the correct password after too many guesses, only from that address', async () => {
  const guesses = await Promise.all(
    Array.from({ length: 60 }, (_, index) => visit('10.0.0.1', `no ${index}`)),
  );
  const codes = guesses.map(({ statusCode }) => statusCode);
  expect(codes.filter((code) => code === 401)).toHaveLength(30);
  expect(codes.filter((code) => code === 429)).toHaveLength(30);
  expect((await visit('10.0.0.1', 'the right one')).statusCode).toBe(429);
  expect((await visit('10.0.0.2', 'the right one')).statusCode).toBe(200);
});

it('always asks a browser without credentials for them', async () => {
  for (let round = 0; round < 40; round += 1) {
    const answer = await visit('10.0.0.3');
    expect(answer.statusCode).toBe(401);
    expect(answer.headers['www-authenticate']).toMatch(/^Basic realm=/);
  }
  expect((await visit('10.0.0.3', 'the right one')).statusCode).toBe(200);
});

it('has no limit for clients with the correct password', async () => {
  for (let round = 0; round < 40; round += 1) {
    expect((await visit('10.0.0.4', 'the right one')).statusCode).toBe(200);
  }
});

it('lets the page load nothing from elsewhere', async () => {
  const policy = String((await visit('10.0.0.5', 'the right one')).headers['content-security-policy']);
  expect(policy).toContain("default-src 'self'");
  expect(policy).not.toMatch(/https?:|\*/);
});
