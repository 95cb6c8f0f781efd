import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findConnection } from './connect.ts';
import { writeSettings } from './settings-file.ts';

test('a key is sent only to its own service', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gleaner-'));
  const home = { XDG_CONFIG_HOME: folder, GLEANER_DATA_DIR: join(folder, 'none') };
  const [own, other] = ['https://own.example', 'https://other.example'];
  writeSettings(home, { url: other, keys: { [other]: 'gln_other' } });
  const keyOf = (service: string | undefined, env: NodeJS.ProcessEnv): string | undefined =>
    findConnection(service, { ...home, ...env }).apiKey;
  const both = { GLEANER_URL: own, GLEANER_API_KEY: 'gln_own' };
  expect(keyOf(undefined, both)).toBe('gln_own');
  expect(keyOf(`${own}/`, both)).toBe('gln_own');
  expect(keyOf(other, both)).toBe('gln_other');
  expect(keyOf('https://third.example', both)).toBeUndefined();
  // Without an address beside it, it is for the service that is used.
  expect(keyOf(own, { GLEANER_API_KEY: 'gln_own' })).toBe('gln_own');
  expect(keyOf(undefined, {})).toBe('gln_other');
});
