import { chmod, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '@gleaner/embedded-postgres';
import { prepareDatabase } from '@gleaner/core';
const folder = await mkdtemp(join(tmpdir(), 'gleaner-eng-'));
await chmod(folder, 0o711);
const postgres = await startPostgres({ dataDir: folder, durable: true, log: () => undefined });
await prepareDatabase(postgres.url);
await writeFile('/tmp/eng-pg-url', postgres.url);
process.stdout.write(postgres.url + '\n');
process.on('SIGTERM', async () => {
  await postgres.stop();
  process.exit(0);
});
setInterval(() => undefined, 1000000);
