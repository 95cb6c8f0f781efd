import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { operationTable } from '@gleaner/core';
import { expect, it } from 'vitest';
import { buildDocument } from '../../apps/api/src/openapi/build-document.ts';
import {
  CLIENT_PACKAGES,
  compileClients,
  docsExamples,
  hasGenerators,
} from '../../scripts/clients/compile-clients.ts';

/** A folder with the generators: they need an earlier TypeScript, so the project does not have them. */
const TOOLS = resolve(process.env['GLEANER_TEST_CLIENTS'] ?? '.');
const missing = `clients that generators write: set GLEANER_TEST_CLIENTS to a folder after npm i ${CLIENT_PACKAGES.join(' ')}`;

const operations = operationTable
  .map(({ operation }) => operation)
  .filter(({ auth }) => auth === 'key' || auth === 'public');
const document = JSON.stringify(buildDocument(operations, '/'));

it('the service takes each body that docs/use shows', () => {
  const examples = docsExamples(document);
  expect(examples.length).toBeGreaterThan(10);
  const faults = examples.flatMap(({ page, path, method, body }) => {
    const operation = operations.find((one) => one.path === path && one.method.toLowerCase() === method);
    const checked = operation?.body?.safeParse(JSON.parse(body));
    return checked?.success === true ? [] : [`${page}: ${method} ${path}: ${String(checked?.error)}`];
  });
  expect(faults).toEqual([]);
});

it.skipIf(!hasGenerators(TOOLS))(
  'programs over the clients that docs name compile, the documentation’s own among them',
  { meta: { missing }, timeout: 600_000 },
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'gleaner-generated-'));
    try {
      symlinkSync(join(TOOLS, 'node_modules'), join(folder, 'node_modules'));
      expect(() => compileClients(folder, document)).not.toThrow();
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
