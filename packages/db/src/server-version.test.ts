import { expect, it } from 'vitest';
import { describeOldServer } from './server-version.ts';

it('servers before Postgres 18 are too old, later ones are not', () => {
  expect(describeOldServer(170_006, '17.6')).toBe(
    'Gleaner needs Postgres 18 or newer, and this server is 17.6',
  );
  expect(describeOldServer(180_000, '18.0')).toBeUndefined();
  expect(describeOldServer(190_001, '19.1')).toBeUndefined();
});
