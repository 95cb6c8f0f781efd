import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@gleaner/embedded-postgres/free-port';
import { startProcess } from './process.ts';

const PROGRAM = '/usr/sbin/pgbouncer';

export interface TestPooler {
  /** The same database through the pooler. */
  url: string;
  stop(): Promise<void>;
}

/**
 * Debian's PgBouncer in transaction mode with its default settings, in front of one database; or why there is none.
 * @param poolSize connections to the server that it keeps
 */
export async function startPgBouncer(
  databaseUrl: string,
  { poolSize }: { poolSize: number },
): Promise<TestPooler | { missing: string }> {
  if (!existsSync(PROGRAM)) return { missing: `this machine has no ${PROGRAM} (apt-get install pgbouncer)` };
  const server = new URL(databaseUrl);
  const folder = await mkdtemp(join(tmpdir(), 'gleaner-pgbouncer-'));
  await chmod(folder, 0o755);
  const port = await freePort();
  const place = {
    host: server.hostname,
    port: server.port,
    user: server.username,
    password: server.password,
  };
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'any',
    pool_mode: 'transaction',
    default_pool_size: poolSize,
    max_client_conn: 500,
  };
  const lines = (values: object): string[] =>
    Object.entries(values).map(([name, value]) => `${name} = ${String(value)}`);
  const path = join(folder, 'pgbouncer.ini');
  await writeFile(
    path,
    [
      '[databases]',
      `* = ${Object.entries(place)
        .map(([name, value]) => `${name}=${decodeURIComponent(value)}`)
        .join(' ')}`,
      '[pgbouncer]',
      ...lines(settings),
      '',
    ].join('\n'),
  );
  // It refuses to run as root.
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const child = await startProcess({
    name: 'pgbouncer',
    command: PROGRAM,
    args: [...user, path],
    env: {},
    isReady: (output) => output.includes('process up'),
  });
  const url = new URL(databaseUrl);
  url.port = String(port);
  return {
    url: url.href,
    stop: async () => {
      await child.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
