import { shortenText } from '@gleaner/contracts';
import { pino } from 'pino';

/** Properties of errors that describe the fault and never contain stored data. */
const TELLING = [
  'code',
  'syscall',
  'hostname',
  'address',
  'port',
  'severity',
  'schema_name',
  'table_name',
  'column_name',
  'constraint_name',
  'reason',
] as const;

/**
 * The logged form of an error: kind, text and stack, those of its causes, and some properties. It never contains the
 * values of a query, which are the account's data and may be its passwords. drizzle-orm puts them into the message,
 * Postgres into `detail` and the `where` of a COPY.
 */
export function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { type, message, stack } = pino.stdSerializers.err(error);
  const values = valuesOf(error);
  const own: Record<string, unknown> = Object.fromEntries(
    chainOf(error)
      .toReversed()
      .flatMap((one) => Object.entries(one))
      .filter(([name]) => TELLING.some((telling) => telling === name)),
  );
  return {
    type,
    message: shorten(without(values, message)),
    stack: shorten(without(values, stack)),
    ...own,
    ...contextOf(error),
  };
}

function chainOf(error: Error): Error[] {
  const chain: Error[] = [];
  for (let one: unknown = error; one instanceof Error && !chain.includes(one); one = one.cause)
    chain.push(one);
  return chain;
}

/** The texts in which drizzle-orm includes the values of a query. */
function valuesOf(error: Error): string[] {
  return chainOf(error).flatMap((one) =>
    'params' in one && Array.isArray(one.params) ? [`\nparams: ${String(one.params)}`] : [],
  );
}

function without(values: readonly string[], text: string): string {
  let left = text;
  for (const value of values) left = left.replaceAll(value, () => '');
  return left;
}

/** The limit on a logged text, because an account's own Postgres or a site may return megabytes. */
const MAX_CHARACTERS = 20_000;

function shorten(text: string): string {
  return shortenText(text, MAX_CHARACTERS);
}

/** The position in our SQL functions, or the participants of a deadlock. */
function contextOf(error: Error): Record<string, string> {
  const context: Record<string, string> = {};
  for (const one of chainOf(error)) {
    if ('where' in one && typeof one.where === 'string' && !/\bCOPY\b/.test(one.where))
      context.where = shorten(one.where);
    const isConflict = 'code' in one && String(one.code).startsWith('40');
    if (isConflict && 'detail' in one && typeof one.detail === 'string') context.detail = shorten(one.detail);
  }
  return context;
}
