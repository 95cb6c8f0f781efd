import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listFiles, root } from '../../scripts/source-files.ts';

/** Modules with which a connection to the outside can be opened. */
const CLIENTS =
  /^(node:)?(http|https|http2|net|tls|dgram|dns|dns\/promises)$|^(aws4fetch|undici|impit|proxy-chain|playwright|playwright-core|puppeteer|got|got-scraping|axios|node-fetch|ky|superagent|ws|eventsource|socks|openapi-fetch|postgres|pg|ioredis|redis|bullmq|nodemailer)(\/|$)|^@crawlee\//;

/** Names that such modules export and that open no connection outwards. */
const HARMLESS = new Set([
  'createServer',
  'Server',
  'isIP',
  'isIPv4',
  'isIPv6',
  'STATUS_CODES',
  'checkServerIdentity',
]);

/** Who may open connections, and why. Everything else asks the worker's fetch layer. */
const ALLOWED: readonly (readonly [path: RegExp, why: string])[] = [
  [/^packages\/fetching\/src\//, 'the fetch layer: every client in it goes through the egress guard'],
  [/^packages\/fetching\/src\/egress\//, 'the egress decision resolves names'],
  [
    /^packages\/core\/src\/storage\/external\/(external\.thread|open-connection)\.ts$/,
    'connects to the address that the egress decision gave',
  ],
  [/^packages\/core\/src\/storage\/blobs\/s3-contents\.ts$/, 'the operator’s own object store'],
  [/^apps\/worker\/src\/send-mail\.ts$/, 'the operator’s own mail server'],
  [/^packages\/(db|queue)\//, 'the service’s own Postgres and Redis'],
  [/^packages\/core\/src\/platform\/rate-limits\//, 'the service’s own Redis'],
  [/^apps\/api\/src\/main\.ts$/, 'the service’s own Redis'],
  [
    /^apps\/api\/src\/openapi\/docs-page\.ts$/,
    'text of a script for the reader’s browser, which asks its own origin',
  ],
  [/^apps\/cli\/src\//, 'the command line asks its own service'],
  [/^packages\/client\//, 'runs in its user’s program and asks the service that it is given'],
  [/^apps\/dashboard\//, 'runs in the user’s browser and asks its own origin'],
  [/^(bench|scripts|test)\//, 'not part of the service'],
  [/\.test\.tsx?$|\/testing\//, 'not part of the service'],
];

const IMPORT =
  /(?:^|\n)\s*(?:import|export)\s+(?!type\b)([^;'"]*?)\s*from\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)|\brequire\(\s*['"]([^'"]+)['"]\s*\)|(?:^|\n)\s*import\s+['"]([^'"]+)['"]/g;
const CALLS =
  /(?<![\w.$#])(fetch|new WebSocket|new EventSource|new XMLHttpRequest|navigator\.sendBeacon)\s*\(/g;

/** Code without its comments: prose may say "fetch (…)". */
function withoutComments(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/[^\n]*/g, '$1');
}

function importsOnlyHarmless(clause: string): boolean {
  const named = /^\{([\s\S]*)\}$/.exec(clause.trim());
  if (named === null) return false;
  return (named[1] ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '))
    .every((name) => HARMLESS.has(name.split(/\s+as\s+/)[0] ?? ''));
}

/** What a source file could open connections with. */
function findClients(source: string): string[] {
  const code = withoutComments(source);
  const imported = [...code.matchAll(IMPORT)].flatMap(([, clause, from, dynamic, required, bare]) => {
    const module = from ?? dynamic ?? required ?? bare ?? '';
    if (!CLIENTS.test(module)) return [];
    return from !== undefined && importsOnlyHarmless(clause ?? '') ? [] : [module];
  });
  return [...imported, ...[...code.matchAll(CALLS)].map(([, call]) => call ?? '')];
}

describe('outgoing connections', () => {
  it('are opened by the fetch layer alone', () => {
    const faults = listFiles()
      .filter((path) => /\.(ts|tsx|mts|mjs|cjs|js)$/.test(path))
      .filter((path) => !ALLOWED.some(([allowed]) => allowed.test(path)))
      .flatMap((path) =>
        findClients(readFileSync(join(root, path), 'utf8')).map((client) => `${path}: ${client}`),
      );
    expect(faults).toEqual([]);
  });

  it.each([
    "import { request } from 'node:https';",
    "import http from 'http';",
    "import * as net from 'node:net';",
    "import { createServer, connect } from 'node:net';",
    "import { Agent } from 'undici';",
    "const { chromium } = await import('playwright');",
    "const http = require('http');",
    "export { request } from 'undici';",
    'const answer = await fetch(url);',
    'const socket = new WebSocket (url);',
    "import {\n  type Socket,\n  connect,\n} from 'node:net';",
  ])('are noticed: %j', (source) => {
    expect(findClients(source)).not.toEqual([]);
  });

  it.each([
    "import { createServer } from 'node:net';",
    "import type { IncomingMessage } from 'node:http';",
    "import { createServer, type Server } from 'node:http';",
    'await fetcher.fetch(url);',
    'const fetchPage = (url) => load(url);',
    '// fetch (network) is another verb\nconst x = 1;',
  ])('are not seen where there are none: %j', (source) => {
    expect(findClients(source)).toEqual([]);
  });
});
