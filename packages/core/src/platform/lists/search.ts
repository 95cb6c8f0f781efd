import { or, sql, type SQL, type SQLWrapper } from 'drizzle-orm';

/** The condition of a list's `search`: part of the name, or the whole identifier or slug. Undefined without one. */
export function matchesSearch(
  search: string | undefined,
  columns: { id: SQLWrapper; name: SQLWrapper; slug?: SQLWrapper },
): SQL | undefined {
  const text = search?.trim() ?? '';
  if (text === '') return undefined;
  const pattern = `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  const { id, name, slug } = columns;
  return or(sql`${name} ILIKE ${pattern}`, sql`${id} = ${text}`, slug && sql`${slug} = ${text}`);
}
