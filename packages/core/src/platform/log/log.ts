import { shortenText } from '@gleaner/contracts';
import { pino, type Logger } from 'pino';

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

/**
 * Decides whether a log line is written. While a server is unavailable, the same failure can repeat several times a
 * second and would hide all other lines.
 * @param lines the most lines with the same text per window
 * @returns `undefined` for a line to omit, else the number of lines with this text that were omitted in the last window
 */
export function createFloodGate(lines: number, windowMs: number, now = Date.now) {
  const windows = new Map<string, { from: number; said: number; unsaid: number }>();
  return (text: string): number | undefined => {
    const at = now();
    const window = windows.get(text);
    if (window === undefined || at - window.from >= windowMs) {
      windows.set(text, { from: at, said: 1, unsaid: 0 });
      return window?.unsaid ?? 0;
    }
    if (window.said < lines) {
      window.said += 1;
      return 0;
    }
    window.unsaid += 1;
    return undefined;
  };
}

export type { Logger } from 'pino';

/** Removes keys and download links from text of clients, which may contain their own. */
export function redactKeys(text: string): string {
  return text
    .replaceAll(/gln_[0-9A-Za-z]{8}_[0-9A-Za-z]+/g, 'gln_…')
    .replaceAll(/exl_[0-9a-f]{40}/g, 'exl_…');
}

/** Repeated warnings may be omitted, because their causes are temporary. All lines of level `error` are written. */
const MOST_LINES = 5;
const WINDOW_MS = 10_000;

/** Writes JSON lines to standard output, and removes keys anywhere in a line. */
export function createLogger(process: string, level: string): Logger {
  const gate = createFloodGate(MOST_LINES, WINDOW_MS);
  return pino({
    level,
    timestamp: pino.stdTimeFunctions.isoTime,
    base: { process },
    serializers: { err: describeError },
    hooks: {
      streamWrite: redactKeys,
      logMethod(args, method, of) {
        const [first, ...rest] = args;
        const text = typeof first === 'string' ? first : (rest[0] ?? '');
        const unsaid = of === pino.levels.values.warn ? gate(text) : 0;
        const isNoted = unsaid !== undefined && unsaid > 0 && typeof first === 'object';
        if (unsaid !== undefined) method.apply(this, isNoted ? [{ ...first, unsaid }, ...rest] : args);
      },
    },
  });
}
