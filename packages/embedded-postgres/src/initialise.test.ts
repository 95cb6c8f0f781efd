import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { initialiseCluster } from './initialise.ts';

const folder = mkdtempSync(join(tmpdir(), 'gleaner-initialise-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('says in words that its programs do not run on this system, and what helps', async () => {
  // As on Alpine, where the file exists, but the loader that it names does not.
  mkdirSync(join(folder, 'bin'));
  mkdirSync(join(folder, 'cluster'));
  writeFileSync(join(folder, 'bin', 'initdb'), '#!/lib/no-such-loader\n');
  chmodSync(join(folder, 'bin', 'initdb'), 0o755);
  const made = initialiseCluster({
    binaries: folder,
    folder: join(folder, 'cluster'),
    user: undefined,
    superuser: 'gleaner',
    password: 'secret',
    durable: false,
  });
  await expect(made).rejects.toMatchObject({
    message: expect.stringMatching(/packaged Postgres can't run on this system/),
    hint: expect.stringMatching(/Set DATABASE_URL/),
  });
});
