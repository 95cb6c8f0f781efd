import { fileURLToPath } from 'node:url';
import { InMemoryServerEventBus } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import type { McpVariation } from './register-mcp.ts';
import { conformanceFixtures, createSessions } from './testing/conformance/fixtures.ts';
import { openSuiteServer, runSuite } from './testing/conformance/run-suite.ts';

const WITHOUT_SESSIONS = fileURLToPath(new URL('testing/conformance/without-sessions.yml', import.meta.url));

function variation(): McpVariation {
  const bus = new InMemoryServerEventBus();
  return { bus, addition: conformanceFixtures(bus) };
}

/**
 * The suite's exit code counts the scenarios that a revision requires; others run too and are only printed. With an
 * expected failure, it is also wrong when that scenario passes.
 */
test.each([
  { revision: '2026-07-28', scenarios: 37, door: 'the door', options: [] },
  {
    revision: '2025-11-25',
    scenarios: 25,
    door: 'the door, which has no sessions',
    options: ['--expected-failures', WITHOUT_SESSIONS],
  },
  { revision: '2025-11-25', scenarios: 30, door: 'a door with sessions', options: [], hasSessions: true },
] as const)('the official suite for $revision at $door', async (row) => {
  const sessions = 'hasSessions' in row ? { serveSessions: createSessions() } : {};
  const server = await openSuiteServer({ ...variation(), ...sessions });
  try {
    const { exitCode, output } = await runSuite(server.url, row.revision, [...row.options]);
    const table = output.slice(output.indexOf('=== SUMMARY ==='));
    console.info(`MCP ${row.revision} at ${row.door}\n${table}`);
    const passed = table.match(/^✓ \S+: [1-9]\d* passed, 0 failed/gm) ?? [];
    expect(passed.length).toBeGreaterThanOrEqual(row.scenarios);
    expect(exitCode, output).toBe(0);
  } finally {
    await server.close();
  }
});
