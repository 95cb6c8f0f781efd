import { z } from 'zod';
import { shortenText } from '@gleaner/contracts';
import { accessSync, constants, statSync } from 'node:fs';
import proxyAddr from '@fastify/proxy-addr';
import { parseEgressAllow } from '@gleaner/fetching/egress';
import { parseProxyTemplate } from '@gleaner/fetching/proxy-template';

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

function split(text: string): string[] {
  return text.split(/[\s,]+/).filter((part) => part !== '');
}

/** A list of some of these words. */
export function words<W extends string>(known: readonly W[], byDefault: string) {
  return z
    .string()
    .default(byDefault)
    .transform(split)
    .pipe(z.array(z.enum(known)).min(1));
}

/** A list in order; every faulty entry is reported. @param check throws an Error, or returns the fault */
function list(check: (entry: string) => string | undefined) {
  return z
    .string()
    .transform((text, context) => {
      const entries = split(text);
      for (const entry of entries) {
        const message = faultOf(() => check(entry));
        if (message !== undefined) context.addIssue({ code: 'custom', message });
      }
      return entries;
    })
    .default([]);
}

function faultOf(check: () => string | undefined): string | undefined {
  try {
    return check();
  } catch (error) {
    // The parsers name their setting, and so does the list of faults.
    return error instanceof Error ? error.message.replace(/^[A-Z_]+: /, '') : String(error);
  }
}

/** Proxy URLs of a tier, checked like in the worker. */
export function proxies(variable: string) {
  return list((entry) => {
    parseProxyTemplate(entry, variable);
    return undefined;
  });
}

/** A text that `parseEgressAllow` accepts. */
export const egressAllow = z
  .string()
  .default('')
  .superRefine((text, context) => {
    for (const entry of text.split(/[\s,;]+/)) {
      const message = faultOf(() => void parseEgressAllow(entry));
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    }
  });

/** Browsers send origins in exactly this form, so any other text would never match. */
export const origins = list((entry) => {
  const url = URL.canParse(entry) ? new URL(entry) : undefined;
  if (url && /^https?:$/.test(url.protocol))
    return url.origin === entry ? undefined : `"${shorten(entry)}" must be written as ${url.origin}`;
  return `"${shorten(entry)}" is not an origin such as https://app.example.com`;
});

/** A value that Fastify’s trustProxy accepts. */
export const trustedProxies = list((entry) => {
  try {
    proxyAddr.compile(entry);
    return undefined;
  } catch {
    return `"${shorten(entry)}" is not an address, a CIDR (10.0.0.0/8), loopback, linklocal or uniquelocal`;
  }
});

function shorten(text: string): string {
  return shortenText(text, 60);
}

/** Whether the current user may execute the file. */
export function isExecutableFile(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
