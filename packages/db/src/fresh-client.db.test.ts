import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { createTestDatabase } from './testing/index.ts';

it('a connection that is lost in a transaction leaves no statement without an end, and none with another’s answer', async () => {
  const test = await createTestDatabase();
  const script = fileURLToPath(new URL('testing/lose-connections.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [script, test.url]);
  const outcomes = JSON.parse(stdout) as string[];
  const counts = Map.groupBy(outcomes, (outcome) => outcome.split(':')[0]);
  expect([...counts.keys()].toSorted()).toEqual(['failed', 'right']);
  expect(counts.get('right')).toHaveLength(60);
  await test.close();
}, 120_000);
