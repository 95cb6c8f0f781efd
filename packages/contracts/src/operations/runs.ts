import { z } from 'zod';

/** What jobs and batches have in common. */
export const RUN_STATES = ['pending', 'running', 'succeeded', 'failed', 'cancelled'] as const;
export const runStateField = z.enum(RUN_STATES);

export const maxCreditsField = z
  .int()
  .min(1)
  .max(1_000_000_000)
  .describe('Most credits that this may ever charge.');

export const dryRunField = z.boolean().describe('Answer what it would do, and do nothing.');

const leastMost = z.object({ least: z.int(), expected: z.int(), most: z.int() });

export const dryRunSchema = z
  .object({
    dry_run: z.literal(true),
    inputs: z.int().describe('Inputs that would run, after validation and dedupe.'),
    duplicates: z.int().describe('Inputs left out by dedupe.'),
    refused_count: z.int(),
    refused: z
      .array(z.object({ index: z.int(), input: z.string(), detail: z.string() }))
      .describe('The first 100 inputs that are not valid; index counts from 0.'),
    credits: leastMost.describe(
      'What it could charge: least when everything fails, expected by past success.',
    ),
    rows: leastMost
      .nullable()
      .describe('Rows it could write; null in return mode or when pages hold lists of rows.'),
  })
  .meta({ id: 'DryRun' });
