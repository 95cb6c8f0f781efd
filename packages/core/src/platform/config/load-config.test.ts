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

test('all invalid variables are listed together, each with its name', () => {
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

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

test('values that a part of the program would reject later are found before the start', () => {
  const wrong = {
    GLEANER_EGRESS_ALLOW: '300.1.1.1/99',
    GLEANER_PROXY_PREMIUM: 'ftp://user:hush@x',
    GLEANER_PROXY_DEFAULT: 'notaurl',
    GLEANER_TRUST_PROXY: 'notanip',
    GLEANER_CORS_ORIGINS: 'notanorigin',
    CHROMIUM_PATH: '/nope',
    GLEANER_SITE_REALTY_ORIGIN: 'ftp://x',
    GLEANER_SITE_PRONET_ORIGIN: 'nothing',
  };
  const faults = faultsOf(wrong);
  expect(faults.map((fault) => fault.split(':')[0]).toSorted()).toEqual(Object.keys(wrong).toSorted());
  expect(faults.join()).not.toContain('hush');
});

test('every faulty entry of a list is reported', () => {
  expect(
    faultsOf({
      GLEANER_EGRESS_ALLOW: '10.0.0.0/8 x;y',
      GLEANER_TRUST_PROXY: 'loopback,a,::1/128,b',
      GLEANER_CORS_ORIGINS: 'https://a.example, https://b.example/, *',
    }).map((fault) => /"(.*?)"/.exec(fault)?.[1]),
  ).toEqual(['x', 'y', 'https://b.example/', '*', 'a', 'b']);
});

test('valid lists stay unchanged', () => {
  expect(
    loadConfig({
      GLEANER_EGRESS_ALLOW: '10.0.0.0/8, ::1;intranet:8080',
      GLEANER_PROXY_PREMIUM: 'http://u-{country}-{session}:p@proxy:8080 socks5://127.0.0.1:1080',
      GLEANER_TRUST_PROXY: '10.0.0.1,fd00::/8,uniquelocal',
      GLEANER_CORS_ORIGINS: 'http://localhost:5173 https://app.example.com',
      CHROMIUM_PATH: process.execPath,
    }),
  ).toMatchObject({
    proxyPremium: ['http://u-{country}-{session}:p@proxy:8080', 'socks5://127.0.0.1:1080'],
    trustProxy: ['10.0.0.1', 'fd00::/8', 'uniquelocal'],
    corsOrigins: ['http://localhost:5173', 'https://app.example.com'],
  });
});

test.each([
  ['GLEANER_WORKER', 'GLEANER_WORKERS'],
  ['GLEANER_SITE_FOO_ORIGIN', '_ORIGIN'],
  ['GLEANER_PROXY_PREMIMUM', 'GLEANER_PROXY_PREMIUM'],
  ['GLEANER_PORT', 'is PORT'],
  ['GLEANER_DATABASE_URL', 'is DATABASE_URL'],
])('the mistyped name %s is a fault that names %s', (name, nearest) => {
  const [fault = '', ...rest] = faultsOf({ [name]: '1' });
  expect(rest).toEqual([]);
  expect(fault.startsWith(`${name}: `)).toBe(true);
  expect(fault.slice(name.length + 2)).toContain(nearest);
});

test('a name that is like no setting has none named', () => {
  expect(faultsOf({ GLEANER_FOO: '1', GLEANER_COLOUR_OF_PAGES: '1' })).toEqual([
    'GLEANER_COLOUR_OF_PAGES: is not a setting',
    'GLEANER_FOO: is not a setting',
  ]);
});

test('variables with our prefix for other programs are not faults', () => {
  const foreign = [
    'GLEANER_URL',
    'GLEANER_TEST_DATA',
    'GLEANER_SCREENSHOTS',
    'GLEANER_API_KEY',
    'GLEANER_PUBLISH',
    'GLEANER_COMMIT',
    'GLEANER_SERVICE_HOST',
    'GLEANER_PORT_3000_TCP',
  ];
  const set = Object.fromEntries(foreign.map((name) => [name, 'x']));
  expect(faultsOf({ ...set, GLEANER_PORT: 'tcp://10.0.0.1:3000' })).toEqual([]);
});
