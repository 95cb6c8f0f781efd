import { z } from 'zod';
import { timeField } from '../fields.ts';
import { targetUrlField } from '../fetching/target-url.ts';
import { isObject, SOURCE_STATES } from '../values/index.ts';

const sitemapField = targetUrlField.describe('A sitemap, an index of them or lines of addresses.');
const feedField = targetUrlField.describe('RSS, Atom or JSON Feed.');

/** What records show of the reading of a source, beside its address. */
const readingFields = {
  status: z.enum(SOURCE_STATES).describe('The run has no inputs before its source is `read`.'),
  files: z.int().nullable().describe('Files that were read; null until then, as the other counts.'),
  entries: z.int().nullable().describe('Addresses that the files give, each file for itself.'),
  left_out: z.int().nullable().describe('Entries without an address of http or https.'),
  error: z.string().nullable().describe('Why the run failed.'),
};

const addressSchema = z
  .strictObject({ sitemap: sitemapField.optional(), feed: feedField.optional() })
  .refine(({ sitemap, feed }) => (sitemap === undefined) !== (feed === undefined), {
    message: 'must have sitemap or feed, one of them',
  });

/** The source of a record as it can be sent back: without its reading. */
function withoutReading(value: z.input<typeof addressSchema>): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => !Object.hasOwn(readingFields, name)));
}

/** A sitemap or a feed whose entries are the inputs of a run. */
export const sourceField = z
  .preprocess(withoutReading, addressSchema)
  .describe(
    'For parsers, instead of inputs: what it names, each address once. Reading is free; when a part can’t be read the run fails.',
  );

export type SourceField = z.output<typeof sourceField>;

/** What `since` of a cron says for: what no earlier run of the cron has taken. */
export const LAST_RUN = 'last_run';

export const sinceTimeField = timeField.describe('With `source`: what is dated later.');

export const cronSinceField = z
  .union([z.literal(LAST_RUN), timeField])
  .describe('With `source`: `last_run` takes what no earlier run took. Or a time.');

/** The source of a run in its record. */
export const shownSourceSchema = z
  .object({
    sitemap: z.string().optional(),
    feed: z.string().optional(),
    ...readingFields,
  })
  .meta({ id: 'RunSource' })
  .nullable()
  .describe('Null when the run was given its inputs.');

/** The `since` of a run in its record. */
export const shownSinceField = z
  .string()
  .nullable()
  .describe('With `source`: a time, or `last_run` in a run of a cron. Null: all that the source names.');

export type ShownSource = z.input<typeof shownSourceSchema>;
