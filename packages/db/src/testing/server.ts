import postgres from 'postgres';

export type { TestServices } from './provided.ts';

/** How many databases the run's Redis has: one for each caller of `testRedisUrl`. */
export const REDIS_DATABASES = 4096;

const TEMPLATE = 'template_gleaner';

/** Clones the template under a name. @returns the clone's URL */
export async function cloneTemplate(adminUrl: string, template: string, name: string): Promise<string> {
  const sql = postgres(adminUrl, { max: 1, onnotice: () => undefined });
  try {
    await sql.unsafe(`CREATE DATABASE ${name} TEMPLATE ${template}`);
  } finally {
    await sql.end({ timeout: 5 });
  }
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** Prepares the database that every test file clones, once per run. @returns its name */
export async function makeTemplate(
  adminUrl: string,
  prepare: (url: string) => Promise<void>,
): Promise<string> {
  const sql = postgres(adminUrl, { max: 1, onnotice: () => undefined });
  try {
    await sql.unsafe(`CREATE DATABASE ${TEMPLATE}`);
    await sql`CREATE SEQUENCE test_numbers`;
    const url = new URL(adminUrl);
    url.pathname = `/${TEMPLATE}`;
    await prepare(url.href);
    // Cloning needs a database without connections, autovacuum's included.
    await sql.unsafe(`ALTER DATABASE ${TEMPLATE} WITH ALLOW_CONNECTIONS false`);
    return TEMPLATE;
  } finally {
    await sql.end({ timeout: 5 });
  }
}
