import { sql } from 'drizzle-orm';
import { customType, pgSchema } from 'drizzle-orm/pg-core';

/** All tables of the service; account data has its own schemas (`db_<id>`). */
export const gleaner = pgSchema('gleaner');

/** A point in time as ISO 8601 text in UTC with milliseconds, so that rows can be answered as they are. */
export const timestamp = customType<{ data: string; driverData: string }>({
  dataType: () => 'timestamptz(3)',
  fromDriver: (value) => new Date(value).toISOString(),
});

/** A time that a row has from its beginning. */
export function timestampNow(name: string) {
  return timestamp(name)
    .notNull()
    .default(sql`now()`);
}

export const bytes = customType<{ data: Buffer; driverData: Buffer }>({ dataType: () => 'bytea' });
