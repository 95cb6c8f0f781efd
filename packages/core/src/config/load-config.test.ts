import { expect, test } from 'vitest';
import { ConfigError, loadConfig } from './load-config.ts';

test('an empty environment gives the defaults', () => {
  expect(loadConfig({})).toMatchObject({
    port: 3000,
    host: '127.0.0.1',
    workerQueues: ['http', 'browser'],
    prices: {},
  });
});

test('all wrong variables are listed at once, each with its name', () => {
  const wrong = {
    PORT: 'http',
    DATABASE_URL: 'mysql://x',
    GLEANER_WORKER_QUEUES: 'http,ftp',
    GLEANER_SECRET_KEY: 'abc',
  };
  let caught: unknown;
  try {
    loadConfig(wrong);
  } catch (error) {
    caught = error;
  }
  expect(caught).toBeInstanceOf(ConfigError);
  for (const variable of Object.keys(wrong)) expect(String(caught)).toContain(`${variable}: `);
});

test('an empty variable counts as absent', () => {
  expect(loadConfig({ PORT: '', REDIS_URL: '' })).toMatchObject({ port: 3000, redisUrl: undefined });
});
