import { createServer, type AddressInfo, type Socket } from 'node:net';
import { afterAll, expect, it } from 'vitest';
import { createTestExternal } from '../../storage/databases/testing/test-databases.ts';
import { connectionPlace } from '../../storage/external/external-databases.ts';
import { seal } from '../../platform/secrets/seal.ts';
import { openCronAccount } from '../../testing/cron-account.ts';
import { openCronServices } from '../../testing/cron-services.ts';
import { createCronFirer } from './cron-firer.ts';

const { submitServices, services, close } = await openCronServices();
const { sql } = services.db;
const sockets = new Set<Socket>();
/** It accepts connections and never says a word. */
const silent = createServer((socket) => void sockets.add(socket));
await new Promise<void>((resolve) => void silent.listen(0, '127.0.0.1', resolve));
const url = `postgres://u:p@127.0.0.1:${(silent.address() as AddressInfo).port}/d`;
/** Longer than any test. */
const NEVER_MS = 600_000;
const external = createTestExternal(undefined, NEVER_MS);
afterAll(async () => {
  await external.close();
  for (const socket of sockets) socket.destroy();
  silent.close();
  await close();
});

type Account = Awaited<ReturnType<typeof openCronAccount<typeof services>>>;

/** A cron whose database is on a server that does not respond. */
async function createDead(account: Account): Promise<string> {
  const { id } = await account.create();
  const connection = seal(url, {
    secretKey: '5'.repeat(64),
    place: connectionPlace(account.databaseId),
  });
  await sql`UPDATE gleaner.databases SET kind = 'postgres', connection = ${connection}, host = 'there'
    WHERE id = ${account.databaseId}`;
  return id;
}

it('crons of accounts whose databases do not respond keep no lane from others', async () => {
  const dead = await Promise.all(
    Array.from({ length: 70 }, async () => {
      const account = await openCronAccount(services);
      return { account, id: await createDead(account) };
    }),
  );
  const good = await openCronAccount(services);
  const { id } = await good.create();
  const firer = createCronFirer({ ...submitServices, external }, { slowMs: 50, prepareMs: NEVER_MS });
  await Promise.all(dead.map((one) => one.account.setDue(one.id, -1)));
  await firer.look();
  await good.setDue(id, -1);
  await firer.look();
  await expect.poll(() => good.firings(id)).toMatchObject([{ outcome: 'started' }]);
  const [first] = dead;
  expect(await first?.account.firings(first.id)).toEqual([]);
});
