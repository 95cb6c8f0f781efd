import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMetrics, openTracer } from '@gleaner/core';
import { createTestAccount, openTestDoor } from '@gleaner/core/testing';
import { buildServer } from '../../../server.ts';
import type { McpVariation } from '../../register-mcp.ts';
import type { Revision } from '../test-mcp.ts';

const SUITE = createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json');

export interface SuiteServer {
  url: string;
  close(): Promise<void>;
}

/**
 * The API on a port of its own. The suite sends no key, so the server in front of the API adds one; the API gets
 * everything else as the suite sent it.
 */
export async function openSuiteServer(variation: McpVariation): Promise<SuiteServer> {
  const door = await openTestDoor();
  const { apiKey } = await createTestAccount(door.services, { requestsPerMinute: 100_000 });
  const tracer = await openTracer({ endpoint: undefined, service: 'test' });
  const app = await buildServer({ ...door.services, metrics: createMetrics('api'), tracer }, variation);
  await app.ready();
  const server = createServer((request, response) => {
    request.headers['x-api-key'] = apiKey;
    app.routing(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    url: `http://127.0.0.1:${address.port}/mcp`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await app.close();
      await door.close();
    },
  };
}

export interface SuiteReport {
  exitCode: number;
  /** The suite's table of scenarios. */
  output: string;
}

/** Runs all scenarios that a revision requires. */
export async function runSuite(
  url: string,
  revision: Revision,
  options: string[] = [],
): Promise<SuiteReport> {
  const folder = await mkdtemp(join(tmpdir(), 'gleaner-conformance-'));
  try {
    return await new Promise((resolve) => {
      execFile(
        process.execPath,
        [
          join(SUITE, '../dist/index.js'),
          'server',
          '--url',
          url,
          '--requirements',
          revision,
          '--output-dir',
          folder,
          ...options,
        ],
        { maxBuffer: 64 * 1024 * 1024 },
        (error, stdout, stderr) => {
          resolve({ exitCode: error === null ? 0 : Number(error.code ?? 1), output: stdout + stderr });
        },
      );
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
