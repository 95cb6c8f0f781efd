import { z } from 'zod';
import { API_IDS } from '../values/index.ts';
import type { PrebuiltApi } from './prebuilt-api.ts';

const jsonSchemaField = z.record(z.string(), z.unknown());

export const apiSummarySchema = z.object({
  id: z.enum(API_IDS).describe('The last segment of the path.'),
  name: z.string(),
  description: z.string(),
  methods: z.array(z.enum(['GET', 'POST'])),
  path: z.string(),
  credits: z.int().describe('Price of one response; failures cost nothing.'),
});

export const apiDescriptionSchema = apiSummarySchema.extend({
  input_schema: jsonSchemaField.describe('JSON Schema of the query parameters and of the JSON body.'),
  output_schema: jsonSchemaField.describe('JSON Schema of the response.'),
  example: z.object({
    request: z.object({
      method: z.enum(['GET', 'POST']),
      path: z.string(),
      query: z.record(z.string(), z.unknown()),
    }),
    answer: z.record(z.string(), z.unknown()),
  }),
  row_key: z
    .object({
      list: z.string().nullable().describe('The list with the rows, or null when each response is one row.'),
      columns: z.array(z.object({ column: z.string(), path: z.string() })),
    })
    .describe('How responses become rows of a database sink, and their default key.'),
});

export type ApiSummary = z.output<typeof apiSummarySchema>;
export type ApiDescription = z.output<typeof apiDescriptionSchema>;

/** An entry of `GET /v1/apis`. */
export function summarizeApi({ id, name, description, methods, path, credits }: PrebuiltApi): ApiSummary {
  return { id, name, description, methods: [...methods], path, credits };
}

/** The response of `GET /v1/apis/{id}`. Its schemas are derived from the schemas for validation. */
export function describeApi(api: PrebuiltApi): ApiDescription {
  return {
    ...summarizeApi(api),
    input_schema: z.toJSONSchema(api.input, { io: 'input' }),
    output_schema: z.toJSONSchema(api.output, { io: 'output' }),
    example: {
      request: { method: 'GET', path: api.path, query: api.example.input },
      answer: api.example.answer,
    },
    row_key: { list: api.rowKey.list ?? null, columns: api.rowKey.key.map((column) => ({ ...column })) },
  };
}
