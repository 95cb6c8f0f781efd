import { z } from 'zod';
import { identifierField, schemaField } from '../fields.ts';
import {
  ADDRESS_RULES,
  CRAWL_SCOPES,
  DEFAULT_CRAWL_DEPTH,
  MAX_CRAWL_DEPTH,
  MAX_CRAWL_PATTERNS,
  MAX_PATTERN_LENGTH,
  ROBOTS_RULES,
} from '../values/index.ts';
import { stageSinkField } from './stage-sinks.ts';
import { parserTarget } from './targets.ts';

const patternField = z
  .string()
  .trim()
  .min(1)
  .max(MAX_PATTERN_LENGTH)
  .refine((pattern) => /^(?:[/*]|https?:\/\/)/i.test(pattern), {
    message: 'must start with / (a path), * or http, as /product/* does',
  });

/** The addresses of pages, as a route says them. */
export const matchField = z.union([patternField, z.array(patternField).min(1).max(MAX_CRAWL_PATTERNS)]);

const patternsField = z.array(patternField).max(MAX_CRAWL_PATTERNS).default([]);

const selectorField = z.string().trim().min(1).max(500);

/** Which pages a crawl reads. */
export const crawlField = z
  .strictObject({
    scope: z
      .enum(CRAWL_SCOPES)
      .default('host')
      .describe(
        'page: the start pages alone; path: below their folders; host: their hosts; site: their domains with all hosts.',
      ),
    include: patternsField.describe(
      'Fetch only addresses that fit one of these. An address or path, with * for anything: `/product/*`.',
    ),
    exclude: patternsField.describe('Never fetch addresses that fit one of these. It wins over include.'),
    depth: z
      .int()
      .min(0)
      .max(MAX_CRAWL_DEPTH)
      .default(DEFAULT_CRAWL_DEPTH)
      .describe('Most links between a start page and a page. Links of `next` don’t count.'),
    next: z
      .array(selectorField)
      .max(20)
      .default([])
      .describe('CSS selectors of the links to the next page of a list, such as `a.next`.'),
    sources: z
      .strictObject({
        links: z.boolean().default(true).describe('Follow links of pages.'),
        sitemaps: z.boolean().default(true).describe('Read the sitemaps of the start hosts.'),
        feeds: z
          .array(z.string().min(1).max(2_048))
          .max(100)
          .default([])
          .describe('RSS, Atom and JSON feeds to read.'),
      })
      .prefault({})
      .describe('Where addresses come from, beside the start pages.'),
    ignore_query: z
      .union([z.literal(true), z.array(z.string().min(1).max(200)).max(100)])
      .optional()
      .describe(
        'true: addresses that differ in their query alone are one page; or the parameters to leave out.',
      ),
    addresses: z
      .literal(ADDRESS_RULES)
      .optional()
      .describe('How addresses are written, set when the crawl is made: 2, or 1 as before there was 2.'),
    robots: z
      .enum(ROBOTS_RULES)
      .default('enforce')
      .describe('enforce: robots.txt decides; warn: it is only noted; off: it is not read.'),
    nofollow: z.boolean().default(false).describe('true: obey rel=nofollow and robots meta tags.'),
  })
  .describe('Which pages the crawl fetches.');

/** What a crawl does with the pages that fit a pattern. */
export const routeField = z
  .strictObject({
    name: identifierField.describe('Unique in the crawl.'),
    match: matchField.describe(
      'The addresses of its pages: `/product/*`. The first route that fits takes a page.',
    ),
    target: parserTarget.optional().describe('The parser that reads them.'),
    schema: schemaField.optional().describe('A parser that is not saved.'),
    sink: stageSinkField.optional(),
    follow: z.boolean().default(true).describe('Follow the links of these pages.'),
  })
  .refine(({ target, schema }) => target === undefined || schema === undefined, {
    path: ['schema'],
    message: 'cannot be combined with target',
  })
  .refine(({ target, schema, sink }) => sink === undefined || target !== undefined || schema !== undefined, {
    path: ['sink'],
    message: 'needs a target or a schema',
  });

export const routesField = z
  .array(routeField)
  .max(MAX_CRAWL_PATTERNS)
  .superRefine((routes, context) => {
    const names = new Set<string>();
    for (const [index, { name }] of routes.entries()) {
      if (names.has(name))
        context.addIssue({ code: 'custom', path: [index, 'name'], message: 'is used twice' });
      names.add(name);
    }
  })
  .describe('Which parser reads which pages. Pages without a route are fetched for their links alone.');

/** What a crawl does. */
export type Crawl = z.output<typeof crawlField>;
export type CrawlRoute = z.output<typeof routeField>;
