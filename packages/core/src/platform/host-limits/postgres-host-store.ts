import { randomInt } from 'node:crypto';
import type { Sql } from '@gleaner/db';
import { LISTED_PAUSES, type HostStore } from '@gleaner/fetching/host-store';

/**
 * Keeps hosts in `gleaner.rate_limits`, with rows of a key, a number and an expiry in milliseconds. Pauses, bookings and
 * leases expire, and the rate limiter removes expired rows.
 */
export function createPostgresHostStore(sql: Sql): HostStore {
  const now = sql`(extract(epoch from clock_timestamp()) * 1000)::bigint`;
  return {
    pause: async (host, accountId, pauseMs) => {
      await sql`
        insert into gleaner.rate_limits as known (key, points, expire)
        values (${`pause:${host} ${accountId}`}, 0, ${now} + ${Math.ceil(pauseMs)}::bigint)
        on conflict (key) do update set expire = greatest(known.expire, excluded.expire)`;
    },
    listPauses: async () => {
      const rows = await sql<{ key: string; left_ms: string }[]>`
        select key, (expire - ${now})::text as left_ms from gleaner.rate_limits
        where starts_with(key, 'pause:') and expire > ${now}
        order by expire desc limit ${LISTED_PAUSES}`;
      return rows.map(({ key, left_ms: leftMs }) => {
        // Neither a host nor an account's id contains a space.
        const [host = '', accountId = ''] = key.slice('pause:'.length).split(' ');
        return { host, accountId, leftMs: Number(leftMs) };
      });
    },
    bookStart: async (name, intervalMs, maxWaitMs) => {
      const key = `start:${name}`;
      const [row] = await sql<{ wait_ms: string }[]>`
        insert into gleaner.rate_limits as known (key, points, expire)
        values (${key}, 0, ${now} + ${Math.ceil(intervalMs)}::bigint)
        on conflict (key) do update
          set expire = greatest(known.expire, ${now}) + ${Math.ceil(intervalMs)}::bigint
          where known.expire <= ${now} + ${Math.floor(maxWaitMs)}::bigint
        returning (expire - ${Math.ceil(intervalMs)}::bigint - ${now})::text as wait_ms`;
      if (row !== undefined) return Math.max(0, Number(row.wait_ms));
      const [full] = await sql<{ wait_ms: string }[]>`
        select (expire - ${now})::text as wait_ms from gleaner.rate_limits where key = ${key}`;
      return Math.max(maxWaitMs + 1, Number(full?.wait_ms ?? 0));
    },
    takeSlot: async (host, slots, leaseMs) => {
      const token = randomInt(2 ** 31 - 1);
      const prefix = `place:${host}:`;
      const [row] = await sql<{ key: string }[]>`
        insert into gleaner.rate_limits as known (key, points, expire)
        select ${prefix} || number, ${token}::int, ${now} + ${leaseMs}::bigint
        from generate_series(1, ${slots}::int) as number
        where not exists (
          select from gleaner.rate_limits as taken
          where taken.key = ${prefix} || number and taken.expire > ${now}
        )
        order by random() limit 1
        on conflict (key) do update set points = excluded.points, expire = excluded.expire
          where known.expire <= ${now}
        returning key`;
      return row === undefined ? undefined : `${row.key.slice(prefix.length)}:${token}`;
    },
    releaseSlot: async (host, slot) => {
      const [number = '', token = '0'] = slot.split(':');
      await sql`delete from gleaner.rate_limits where key = ${`place:${host}:${number}`} and points = ${Number(token)}::int`;
    },
  };
}
