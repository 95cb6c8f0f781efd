import { z } from 'zod';

/** The extraction schema language (docs/parsers.md). */
export const parserSchema = z.strictObject({ fields: z.record(z.string(), z.unknown()) });

export type ParserSchema = z.output<typeof parserSchema>;
