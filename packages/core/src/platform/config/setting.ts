import { z } from 'zod';

/** A URL with one of these schemes, without the colon. */
export function url(schemes: readonly string[]) {
  return z.string().refine(
    (text) => {
      if (!URL.canParse(text)) return false;
      return schemes.includes(new URL(text).protocol.slice(0, -1));
    },
    { message: `must be a URL starting with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}` },
  );
}

/** A whole number within these bounds, both included. */
export function count(minimum: number, maximum: number) {
  const error = `must be a whole number from ${minimum} to ${maximum}`;
  return z.coerce.number({ error }).int(error).min(minimum, error).max(maximum, error);
}

export interface Setting<S extends z.ZodType = z.ZodType> {
  variable: string;
  /** One line for the table of docs/operate/configuration.md. */
  describe: string;
  /** What the table shows as default. */
  shown: string;
  schema: S;
}

/** A setting of the table in settings.ts. @param shown what the table shows as default; by default, the schema's own */
export function setting<S extends z.ZodType>(
  variable: string,
  schema: S,
  describe: string,
  shown = String(schema.parse(undefined)),
): Setting<S> {
  return { variable, describe, shown, schema };
}
