import {
  actionSchema,
  screenshotField,
  scrapeConfigSchema,
  sinkSchema,
  targetSchema,
  type Operation,
} from '@gleaner/contracts';
import { z } from 'zod';

export type JsonSchema = Record<string, unknown>;

/** Default of `max_characters`. */
export const DEFAULT_MAX_CHARACTERS = 20_000;

/** Arguments of every tool; the door takes them out before the operation sees its input. */
export const doorArguments = z.object({
  max_characters: z
    .int()
    .min(1_000)
    .max(1_000_000)
    .default(DEFAULT_MAX_CHARACTERS)
    .describe('Most characters of the result; `cut` says when it was shortened.'),
  idempotency_key: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe('The same key with the same input within 24 hours gives the first answer again.'),
});

const PLAIN_BOUNDS = new Set([Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]);

/** Keywords that validate and hardly inform a reader; the operation itself validates. */
const LEFT_OUT = new Set(['$schema', 'pattern', 'propertyNames', 'maxItems', 'maxLength', 'minLength']);

function isTextBoolean({ anyOf }: JsonSchema): boolean {
  return (
    Array.isArray(anyOf) && anyOf.length === 2 && anyOf.some(({ type }: JsonSchema) => type === 'boolean')
  );
}

/** Parts of a query hold JSON as a text; an agent gives the object itself. */
export function isJsonInText(schema: unknown): boolean {
  return (
    typeof schema === 'object' &&
    schema !== null &&
    'contentMediaType' in schema &&
    schema.contentMediaType === 'application/json'
  );
}

/** The schema of the value in a JSON text; any object when the text has no schema. */
function writtenOut({ description, contentSchema }: JsonSchema): JsonSchema {
  return { type: 'object', ...(contentSchema as JsonSchema | undefined), description };
}

/** Parts that results repeat from the input: the input's schema has their fields. */
const REPEATED: ReadonlySet<unknown> = new Set([scrapeConfigSchema, sinkSchema, targetSchema]);

const CONFIG = `How the page is fetched, with the arguments of the tool scrape: ${Object.keys(scrapeConfigSchema.shape).join(', ')}.`;

/**
 * Parts of the input that a description replaces: a full schema in each tool would fill an agent's context.
 * Without a text here, the part's own description contains its form.
 */
const DESCRIBED: ReadonlyMap<unknown, string | undefined> = new Map<unknown, string | undefined>([
  [actionSchema, undefined],
  [screenshotField, undefined],
  [scrapeConfigSchema, CONFIG],
]);

/** The same schema in fewer words, as it fills the context of an agent. */
function shorten({ jsonSchema }: { jsonSchema: JsonSchema }): void {
  if (isTextBoolean(jsonSchema)) {
    delete jsonSchema.anyOf;
    jsonSchema.type = 'boolean';
  }
  for (const [key, value] of Object.entries(jsonSchema)) {
    const isPlain = (key === 'minimum' || key === 'maximum') && PLAIN_BOUNDS.has(Number(value));
    // An `id` that is a text is zod's name of the schema.
    const isDateText = key === 'description' && jsonSchema.format === 'date-time';
    if (LEFT_OUT.has(key) || isPlain || isDateText || (key === 'id' && typeof value === 'string'))
      delete jsonSchema[key];
  }
}

function write(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: (written) => {
      shorten(written);
      const said = io === 'input' ? DESCRIBED : REPEATED;
      if (!said.has(written.zodSchema)) return;
      const description = DESCRIBED.get(written.zodSchema) ?? written.jsonSchema.description;
      for (const key of Object.keys(written.jsonSchema)) delete written.jsonSchema[key];
      written.jsonSchema.type = 'object';
      if (io === 'input' && description !== undefined) written.jsonSchema.description = description;
    },
  }) as JsonSchema;
  return json;
}

function propertiesOf(schema: JsonSchema): Record<string, unknown> {
  return (schema.properties ?? {}) as Record<string, unknown>;
}

/** The names of an operation's parameters in its path and its query. */
export function namesOf(schema: z.ZodObject | undefined): string[] {
  return Object.keys(schema?.shape ?? {});
}

/**
 * All parts of an operation's input as one object.
 * @param ofTool arguments that the door takes for this tool
 * @throws Error when two parts have a field of the same name
 */
export function inputSchemaOf(operation: Operation, ofTool: z.ZodRawShape = {}): JsonSchema {
  const { params, query, body, creates } = operation;
  const parts = [params, query, body].flatMap((part) => (part === undefined ? [] : [write(part, 'input')]));
  const door = propertiesOf(write(doorArguments, 'input'));
  const properties: Record<string, unknown> = {};
  for (const [name, property] of parts.flatMap((part) => Object.entries(propertiesOf(part)))) {
    if (name in properties) throw new Error(`the tool of ${operation.id} has two arguments ${name}`);
    properties[name] = isJsonInText(property) ? writtenOut(property as JsonSchema) : property;
  }
  const choices = parts.find((part) => Array.isArray(part.oneOf));
  if (choices) return { type: 'object', ...choices };
  const defs = Object.assign({}, ...parts.map((part) => part.$defs ?? {})) as JsonSchema;
  const required = parts.flatMap((part) => (Array.isArray(part.required) ? part.required : []));
  return {
    type: 'object',
    properties: {
      ...properties,
      ...propertiesOf(write(z.object(ofTool), 'input')),
      ...(creates === true ? { idempotency_key: door.idempotency_key } : {}),
      max_characters: door.max_characters,
    },
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
    ...(Object.keys(defs).length === 0 ? {} : { $defs: defs }),
  };
}

/** The fields that the door adds to each result. */
const envelope = {
  credits_used: z.int().describe('Credits that this call was charged.'),
  credits_remaining: z.int().optional(),
  cut: z
    .string()
    .optional()
    .describe('Present when the result was shortened: how, and how to read the rest.'),
  next_step: z.string().optional(),
  notice: z.string().optional(),
};

/** The shape of a tool's `structuredContent`. */
export function outputSchemaOf({ answer }: Operation): JsonSchema {
  const result = answer.kind === 'json' || answer.kind === 'json-text' ? answer.schema : z.object({});
  return open(write(z.object({ result, ...envelope }), 'output'));
}

/** An output schema without `additionalProperties: false`: later versions may add fields. */
function open(value: JsonSchema): JsonSchema {
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, inner]) => !(key === 'additionalProperties' && inner === false))
      .map(([key, inner]) => [key, openAny(inner)]),
  );
}

function openAny(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(openAny);
  return typeof value === 'object' && value !== null ? open(value as JsonSchema) : value;
}
