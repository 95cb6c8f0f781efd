import { afterAll, expect, it } from 'vitest';
import { openCronAccount } from '../../testing/cron-account.ts';
import { openCronServices } from '../../testing/cron-services.ts';
import { showCrons } from '../start-crons.ts';
import { createCronFirer } from './cron-firer.ts';

const { submitServices, services, close } = await openCronServices();
const { sql } = services.db;
afterAll(close);

it('a cron whose time zone a process does not know stops no other', async () => {
  const [bad, good] = [await openCronAccount(services), await openCronAccount(services)];
  const [faulty, due, soon] = [
    await bad.create({ url: 'http://a.test/1' }),
    await good.create({ url: 'http://a.test/2' }),
    await good.create({ url: 'http://a.test/3' }),
  ];
  // A process with a newer list of time zones has stored it.
  await sql`UPDATE gleaner.crons SET timezone = 'Nowhere/Land', is_mirrored = false WHERE id = ${faulty.id}`;
  await Promise.all([bad.setDue(faulty.id, -1), good.setDue(due.id, -1), good.setDue(soon.id, 30)]);
  const firer = createCronFirer(submitServices);
  await firer.look();
  await firer.settled();
  expect(await good.firings(due.id)).toMatchObject([{ outcome: 'started' }]);
  expect(await bad.firings(faulty.id)).toEqual([]);
  const [lease] = await sql<{ isLong: boolean }[]>`
    SELECT leased_until > now() + interval '30 s' AS "isLong" FROM gleaner.crons WHERE id = ${faulty.id}`;
  expect(lease?.isLong).toBe(true);
  await bad.setDue(faulty.id, 30);
  await showCrons(services).catch(() => undefined);
  const unmirrored = await sql<{ id: string }[]>`SELECT id FROM gleaner.crons WHERE NOT is_mirrored`;
  expect(unmirrored.map(({ id }) => id)).not.toContain(due.id);
});
