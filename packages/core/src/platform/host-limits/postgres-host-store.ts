import { randomInt } from 'node:crypto';
import type { Sql } from '@gleaner/db';
import { HOLD_MS, LISTED_PAUSES, type HostStore } from '@gleaner/fetching/host-store';

/**
 * Keeps hosts in `gleaner.rate_limits`, with rows of a key, a number and an expiry in milliseconds. Pauses, bookings and
 * leases expire, and the rate limiter removes expired rows.
 * @param holdMs shorter in tests
 */
export function createPostgresHostStore(sql: Sql, holdMs = HOLD_MS): HostStore {
  const now = sql`(extract(epoch from clock_timestamp()) * 1000)::bigint`;
  return {
    holdMs,
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
    claimStart: async (name, intervalMs, { keepMs = 0, held = 0 } = {}) => {
      const key = `start:${name}`;
      // Of a turn that is kept, it is negative.
      const token = randomInt(1, 2 ** 31 - 1) * (keepMs > 0 ? -1 : 1);
      const [row] = await sql<{ is_claimed: boolean; points: number | null; wait_ms: string | null }[]>`
        with claimed as (
          insert into gleaner.rate_limits as known (key, points, expire)
          values (${key}, ${token}::int, ${now} + ${Math.ceil(holdMs + intervalMs + keepMs)}::bigint)
          on conflict (key) do update set points = excluded.points, expire = excluded.expire
            where known.expire <= ${now} or (known.points = ${held}::int and known.points <> 0)
          returning key
        )
        select exists (select from claimed) as is_claimed, before.points, (before.expire - ${now})::text as wait_ms
        from (select) one left join gleaner.rate_limits before on before.key = ${key}`;
      if (row?.is_claimed === true) return { token };
      const points = row?.points ?? 0;
      return {
        token: undefined,
        waitMs: Math.max(1, Number(row?.wait_ms ?? 1)),
        isHeld: points !== 0,
        isKept: points < 0,
      };
    },
    sent: async (name, token, intervalMs) => {
      await sql`
        update gleaner.rate_limits set points = 0, expire = ${now} + ${Math.ceil(intervalMs)}::bigint
        where key = ${`start:${name}`} and points = ${token}::int`;
    },
    takeSlots: async (name, slots, wanted, leaseMs) => {
      const token = randomInt(2 ** 31 - 1);
      const prefix = `place:${name}:`;
      const rows = await sql<{ key: string }[]>`
        insert into gleaner.rate_limits as known (key, points, expire)
        select ${prefix} || number, ${token}::int, ${now} + ${leaseMs}::bigint
        from generate_series(1, ${slots}::int) as number
        where not exists (
          select from gleaner.rate_limits as taken
          where taken.key = ${prefix} || number and taken.expire > ${now}
        )
        order by random() limit ${wanted}
        on conflict (key) do update set points = excluded.points, expire = excluded.expire
          where known.expire <= ${now}
        returning key`;
      return rows.map(({ key }) => `${key.slice(prefix.length)}:${token}`);
    },
    releaseSlots: async (name, tokens) => {
      const held = tokens.map((slot) => slot.split(':'));
      await sql`
        delete from gleaner.rate_limits as known
        using unnest(
          ${held.map(([number = '']) => `place:${name}:${number}`)}::text[],
          ${held.map(([, token = '0']) => Number(token))}::int[]
        ) as given (key, points)
        where known.key = given.key and known.points = given.points`;
    },
  };
}
