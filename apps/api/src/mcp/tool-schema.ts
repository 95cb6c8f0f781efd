import {
  actionSchema,
  carrySchema,
  crawlField,
  cronTargetSchema,
  keepPagesSchema,
  routesField,
  screenshotField,
  scrapeConfigSchema,
  sinkSchema,
  sourceField,
  targetSchema,
  workflowStageSchema,
  type Operation,
} from '@gleaner/contracts';
import { z } from 'zod';

export type JsonSchema = Record<string, unknown>;

/** Default of `max_characters`. */
export const DEFAULT_MAX_CHARACTERS = 20_000;

/** Arguments of every tool; the door takes them out before the operation sees its input. */
export const doorArguments = z.object({
  max_characters: z.int().min(1_000).max(1_000_000).default(DEFAULT_MAX_CHARACTERS),
  idempotency_key: z.string().min(1).max(255).optional().describe('Same key, same answer.'),
});

/** Keywords that validate and hardly inform a reader; the operation itself validates. */
const LEFT_OUT = new Set([
  '$schema',
  'pattern',
  'propertyNames',
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
]);

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

/** Hosts of agents refuse a list whose elements have no schema. */
const ANY_OBJECT: JsonSchema = { type: 'object' };

/** The schema of the value in a JSON text; any object when the text has no schema. */
function writtenOut({ description, contentSchema }: JsonSchema): JsonSchema {
  const rest = String(description).replace(/^JSON (?:object|array)\. ?/, '');
  const written: JsonSchema = {
    type: 'object',
    ...(contentSchema as JsonSchema | undefined),
    ...(rest === '' ? {} : { description: rest }),
  };
  return written.type === 'array' ? { items: ANY_OBJECT, ...written } : written;
}

const CONFIG = 'How pages are fetched: arguments of the tool scrape, such as escalate.';

const TARGET =
  'What to run: {"type": "parser", "parserId": id, "version"?: number} or {"type": "api", "id": name of a prebuilt API}';

const SINK = [
  'Where results go. {"mode": "return"}: kept for 24 hours.',
  '{"mode": "database", "database": id, "table": name}: rows of a table, which the first write creates. Optional:',
  '"key": [columns that identify a row; default: the fields with key, else _url];',
  '"rows": path to a list in the data, each element a row;',
  '"contract": a new field adds a column (evolve, default), fails the task (freeze) or is left out (discard);',
  '"nulls": keep (default) or overwrite; "on_drift": quarantine or pause.',
].join(' ');

const STAGE = [
  '{"name", "target", "from"?: {"stage": name (default: the one before; itself, to follow next links),',
  '"path": JSONPath to URLs in its results ("$.items[*].url")}, "sink"?: as in create_batch, and "carry":',
  '{column: "$.stages.NAME.field" or "$.input.NAME"}, "limit"?, "scrape_config"?}; or, as the first stage, a crawl from the inputs of the',
  'run: {"name", "crawl", "routes": as in crawl_site, each with a "sink", "limit"?: pages}.',
].join(' ');

const SOURCE = 'Instead of inputs: {"sitemap": URL} or {"feed": URL}.';

const CARRY = 'Values of inputs {url, …} to keep: true, [names] or {column: name}.';

const PAGES = 'none, failed (default), sample:N or all, for 7 days.';

const CRAWL = [
  'Which pages it fetches, as {"scope": page, path, host (default) or site,',
  '"include" and "exclude": lists of addresses or paths with * for anything ("/product/*"), "depth": 5,',
  '"next": [CSS selectors of next-page links, which add no depth],',
  '"sources": {"links": true, "sitemaps": true, "feeds": [addresses]}, "ignore_query": true or [names],',
  '"robots": enforce (default), warn or off, "nofollow": false}.',
].join(' ');

const ROUTES =
  'What is read of which pages, as [{"name", "match": "/product/*" or a list, "target": {"type": "parser", "parserId"} or "schema": as create_parser takes, "sink"?, "follow": true}]. The first that fits takes a page. Default: url, title and Markdown of each page.';

/**
 * Parts of the input that a description replaces: a full schema in each tool would fill an agent's context.
 * Without a text here, the part's own description contains its form.
 */
const DESCRIBED: ReadonlyMap<unknown, string | undefined> = new Map<unknown, string | undefined>([
  [actionSchema, undefined],
  [screenshotField, undefined],
  [scrapeConfigSchema, CONFIG],
  [targetSchema, `${TARGET}.`],
  [
    cronTargetSchema,
    `${TARGET} or {"type": "workflow", "workflowId": id}; for a crawl, a workflow that crawls, with its start addresses as inputs.`,
  ],
  [sinkSchema, SINK],
  [carrySchema, CARRY],
  [keepPagesSchema, PAGES],
  [sourceField, SOURCE],
  [workflowStageSchema, STAGE],
  [crawlField, CRAWL],
  [routesField, ROUTES],
]);

/** The same schema in fewer words, as it fills the context of an agent. */
function shorten({ jsonSchema }: { jsonSchema: JsonSchema }): void {
  if (isTextBoolean(jsonSchema)) {
    delete jsonSchema.anyOf;
    jsonSchema.type = 'boolean';
  }
  for (const [key, value] of Object.entries(jsonSchema)) {
    // An `id` that is a text is zod's name of the schema.
    const isDateText = key === 'description' && jsonSchema.format === 'date-time';
    if (LEFT_OUT.has(key) || isDateText || (key === 'id' && typeof value === 'string'))
      delete jsonSchema[key];
  }
}

function write(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: (written) => {
      shorten(written);
      if (io === 'output' || !DESCRIBED.has(written.zodSchema)) return;
      const description = DESCRIBED.get(written.zodSchema) ?? written.jsonSchema.description;
      const { type: known = 'object' } = written.jsonSchema;
      // It has several types.
      const type = written.zodSchema === carrySchema ? undefined : known;
      for (const key of Object.keys(written.jsonSchema)) delete written.jsonSchema[key];
      if (type !== undefined) written.jsonSchema.type = type;
      if (type === 'array') written.jsonSchema.items = ANY_OBJECT;
      if (description !== undefined) written.jsonSchema.description = description;
    },
  }) as JsonSchema;
  return json;
}

/** What may be null as one schema: `{"anyOf": [{"type": "string"}, {"type": "null"}]}` in a third of the characters. */
function joinNull(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(joinNull);
  if (typeof value !== 'object' || value === null) return value;
  const schema = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, joinNull(inner)]));
  const { anyOf, ...outer } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema;
  const [inner, none] = anyOf as JsonSchema[];
  if (none?.type !== 'null' || inner === undefined) return schema;
  if (Object.keys(inner).join(',') === 'description') return { ...inner, ...outer };
  if (Array.isArray(inner.anyOf))
    return { ...inner, anyOf: [...(inner.anyOf as JsonSchema[]), none], ...outer };
  if (typeof inner.type !== 'string' || 'const' in inner) return schema;
  return { ...inner, type: [inner.type, 'null'], ...outer };
}

function propertiesOf(schema: JsonSchema): Record<string, unknown> {
  return (schema.properties ?? {}) as Record<string, unknown>;
}

/** The names of an operation's parameters in its path and its query. */
export function namesOf(schema: z.ZodObject | undefined): string[] {
  return Object.keys(schema?.shape ?? {});
}

interface InputOptions {
  /** Arguments that the door takes for this tool. */
  ofTool?: z.ZodRawShape;
  /** Whether its result can be longer than an agent wants to read. */
  isLong: boolean;
  /** What the tool calls the operation's `id`. */
  idName?: string | undefined;
  /** An argument that the tool doesn't take. */
  omitted?: string | undefined;
}

/**
 * All parts of an operation's input as one object.
 * @throws Error when two parts have a field of the same name
 */
export function inputSchemaOf(
  operation: Operation,
  { ofTool = {}, isLong, idName, omitted }: InputOptions,
): JsonSchema {
  const { params, query, body, creates } = operation;
  const parts = [params, query, body].flatMap((part) =>
    part === undefined ? [] : [joinNull(write(part, 'input')) as JsonSchema],
  );
  const door = propertiesOf(write(doorArguments, 'input'));
  const properties: Record<string, unknown> = {};
  for (const [name, property] of parts.flatMap((part) => Object.entries(propertiesOf(part)))) {
    if (name === omitted) continue;
    if (name in properties) throw new Error(`the tool of ${operation.id} has two arguments ${name}`);
    const ofTool = name === 'id' ? (idName ?? name) : name;
    properties[ofTool] = isJsonInText(property) ? writtenOut(property as JsonSchema) : property;
  }
  const choices = parts.find((part) => Array.isArray(part.oneOf));
  if (choices) return { type: 'object', ...choices };
  const isReferred = JSON.stringify(properties).includes('"$ref"');
  const defs = isReferred ? (Object.assign({}, ...parts.map((part) => part.$defs ?? {})) as JsonSchema) : {};
  const required = parts
    .flatMap((part) => (Array.isArray(part.required) ? part.required : []))
    .map((name) => (name === 'id' ? (idName ?? name) : name));
  return {
    type: 'object',
    properties: {
      ...properties,
      ...propertiesOf(write(z.object(ofTool), 'input')),
      ...(creates === true ? { idempotency_key: door.idempotency_key } : {}),
      ...(isLong ? { max_characters: door.max_characters } : {}),
    },
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
    ...(Object.keys(defs).length === 0 ? {} : { $defs: defs }),
  };
}

/** Whether the other schema has all of this one's properties, each alike, or is the same. */
function isPartOf(schema: JsonSchema, other: JsonSchema): boolean {
  const { properties, ...rest } = schema;
  const { properties: _, ...otherRest } = other;
  return (
    JSON.stringify(rest) === JSON.stringify(otherRest) &&
    Object.entries(properties ?? {}).every(
      ([name, property]) => JSON.stringify(property) === JSON.stringify(propertiesOf(other)[name]),
    )
  );
}

/**
 * The same schema without what another tool explains: an argument that both take alike has its type alone.
 * @param explained the input of the tool that an agent reads beside this one
 */
export function withoutExplained(schema: JsonSchema, explained: JsonSchema): JsonSchema {
  const known = propertiesOf(explained);
  const properties = Object.entries(propertiesOf(schema)).map(([name, property]) => {
    if (!isPartOf(property as JsonSchema, (known[name] ?? {}) as JsonSchema)) return [name, property];
    const { description: _text, properties: _parts, ...form } = property as JsonSchema;
    return [name, form];
  });
  return { ...schema, properties: Object.fromEntries(properties) as JsonSchema };
}

/**
 * The shape of a tool's `structuredContent`: the names of the result's fields. The door adds credits_remaining, cut,
 * next_step and notice.
 */
export function outputSchemaOf({ answer }: Operation): JsonSchema {
  const result = answer.kind === 'json' || answer.kind === 'json-text' ? answer.schema : z.object({});
  const { $defs = {}, ...written } = write(z.object({ result, credits_used: z.unknown() }), 'output');
  const { properties, ...others } = outlineOf(written, $defs as Record<string, JsonSchema>, 2);
  const { required: _, ...outline } = others;
  return { ...outline, properties };
}

/**
 * The names in a schema down to a depth, with references written out, and the types above them. A complete schema would
 * fill an agent's context, and later versions may add fields.
 */
function outlineOf(
  schema: JsonSchema,
  defs: Readonly<Record<string, JsonSchema>>,
  depth: number,
): JsonSchema {
  if (depth === 0) return {};
  if (typeof schema.$ref === 'string') {
    return outlineOf(defs[schema.$ref.slice('#/$defs/'.length)] ?? {}, defs, depth);
  }
  const choices = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined;
  if (choices !== undefined) {
    // What is a record or a dry run has the names of both.
    const outlines = choices.map((choice) => outlineOf(choice, defs, depth));
    const properties = Object.assign({}, ...outlines.map(propertiesOf)) as JsonSchema;
    return outlines.every(({ type }) => type === 'object')
      ? { type: 'object', properties }
      : { anyOf: outlines };
  }
  if (schema.properties === undefined) return 'type' in schema ? { type: schema.type } : {};
  const fields = Object.entries(propertiesOf(schema)).map(([name, field]) => [
    name,
    outlineOf(field as JsonSchema, defs, depth - 1),
  ]);
  return { type: 'object', properties: Object.fromEntries(fields) as JsonSchema };
}
