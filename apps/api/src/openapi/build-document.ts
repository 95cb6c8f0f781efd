import { ERRORS, exampleOf, type ErrorCode, type Operation, type Tag } from '@gleaner/contracts';
import type { z } from 'zod';
import { INTRODUCTION } from './introduction.ts';
import { createSchemaWriter, pascalCase, type Json, type SchemaWriter } from './schema-writer.ts';

/** What any operation can answer, apart from its own errors. */
const COMMON_ERRORS: readonly ErrorCode[] = [
  'invalid_request',
  'rate_limit_exceeded',
  'internal',
  'temporarily_unavailable',
];

const TAG_DESCRIPTIONS: Readonly<Record<Tag, string>> = {
  Extraction: 'Pages to data at once: upload HTML, or name a URL to fetch.',
  Parsers: 'Extraction schemas with versions.',
  Jobs: 'One page in the background.',
  Pages: 'Pages that runs kept, as they were fetched.',
  Batches: 'Up to a million pages in the background.',
  Crons: 'Work that runs on a schedule.',
  Crawls: 'Sites by their links, sitemaps and feeds.',
  Workflows: 'Stages that feed each other: list pages, then detail pages.',
  Databases: 'Where rows go, and how to read them.',
  Webhooks: 'Calls to your server when work ends.',
  Alerts: 'Messages to people when something happens.',
  Credits: 'Balance and ledger.',
  'Prebuilt APIs': 'Fixed shapes for five public sites, 1 credit each.',
  Overview: 'How things stand: what failed, what runs next, and each collection.',
  Catalogue: 'Public descriptions; no key needed.',
  Keys: 'Keys of the account.',
  Session: 'Sign-in of the dashboard.',
  Operator: 'Accounts and the state of the installation.',
};

function integers(...names: string[]): Json {
  return Object.fromEntries(names.map((name) => [name, { type: 'integer' }]));
}

/** The shapes of errors' bodies. Two errors have one of their own. */
const ERROR_SCHEMAS = {
  Error: {
    type: 'object',
    required: ['error'],
    properties: {
      error: { type: 'string', description: 'Stable text of the error; docs/use/errors.md lists all.' },
      field: { type: 'string', description: 'The part of the request that is wrong.' },
      detail: { type: 'string', description: 'What happened.' },
      hint: { type: 'string', description: 'What to do about it.' },
    },
  },
  InsufficientCredits: {
    type: 'object',
    required: ['error', 'required', 'available'],
    properties: { error: { type: 'string' }, ...integers('required', 'available') },
  },
  PendingLimit: {
    type: 'object',
    required: ['error', 'pending', 'limit', 'accepted'],
    properties: { error: { type: 'string' }, ...integers('pending', 'limit', 'accepted') },
  },
};

function integerHeader(description: string): Json {
  return { description, schema: { type: 'integer' } };
}

function parameters(
  write: SchemaWriter,
  schema: z.ZodObject | undefined,
  place: 'path' | 'query',
  examples: Readonly<Record<string, string>> = {},
): Json[] {
  if (!schema) return [];
  const json = write(schema, 'parameters');
  const required = new Set(Array.isArray(json.required) ? json.required : []);
  return Object.entries((json.properties ?? {}) as Record<string, Json>).map(([name, property]) => {
    const { description, ...rest } = property;
    const isNumber = rest.type === 'integer' || rest.type === 'number';
    const example = examples[name];
    return {
      name,
      in: place,
      required: place === 'path' || required.has(name),
      ...(typeof description === 'string' ? { description } : {}),
      schema: rest,
      // Examples of queries are texts; the document has them in the type of their parameter.
      ...(example === undefined ? {} : { example: isNumber ? Number(example) : example }),
    };
  });
}

/** Generators know `format`, which OpenAPI 3.1 has replaced. */
const BINARY = { format: 'binary', contentMediaType: 'application/octet-stream' };

function requestBody(write: SchemaWriter, operation: Operation, example: unknown): Json {
  const content: Json = {};
  if (operation.body)
    content['application/json'] = {
      schema: write(operation.body, 'body', `${pascalCase(operation.id)}Body`),
      ...(example === undefined ? {} : { example }),
    };
  if (operation.upload) {
    const parts = Object.entries(operation.upload.parts);
    content['multipart/form-data'] = {
      schema: {
        type: 'object',
        required: parts.filter(([, part]) => part.required).map(([name]) => name),
        properties: Object.fromEntries(
          parts.map(([name, { binary, description }]) => [
            name,
            { type: 'string', ...(binary ? BINARY : {}), description },
          ]),
        ),
      },
    };
  }
  return Object.keys(content).length === 0 ? {} : { requestBody: { required: true, content } };
}

/** A dry run answers with another status. */
function successResponses(write: SchemaWriter, operation: Operation): Json {
  const { answer } = operation;
  const status = String(answer.status);
  if (answer.kind !== 'json' || answer.dryRun === undefined)
    return { [status]: successResponse(write, operation) };
  const { instead, otherwise } = answer.dryRun;
  const dry = {
    ...operation,
    credits: undefined,
    answer: { kind: 'json', status: 200, schema: instead },
  } as const;
  return {
    '200': { ...successResponse(write, dry), description: 'With `dry_run`: what the call would do.' },
    [status]: successResponse(write, { ...operation, answer: { ...answer, schema: otherwise } }),
  };
}

const FETCHED_BY = {
  description: 'The way by which the page was read: `http`, `browser`, `http:highquality`, …',
  schema: { type: 'string' },
};

const NOTES = {
  description:
    'What the call ignored, as `hostDelaySeconds is ignored on scrapes`; absent when there is nothing.',
  schema: { type: 'string' },
};

/** Lines of JSON are a text, and a JSON document is what it holds. */
function streamSchema(type: string): Json {
  if (type.endsWith('+json')) return { type: 'object' };
  return /^text\/|json/.test(type) ? { type: 'string' } : { type: 'string', ...BINARY };
}

function successResponse(write: SchemaWriter, operation: Operation): Json {
  const { answer } = operation;
  const headers = {
    'X-Request-Id': { description: 'Finds the request in the logs.', schema: { type: 'string' } },
    // Work that is only accepted has used nothing yet.
    ...(operation.credits === undefined || operation.answer.status === 202
      ? {}
      : {
          'X-Credits-Used': integerHeader('Credits consumed by this request.'),
          'X-Credits-Remaining': integerHeader('Balance after it.'),
          ...(operation.credits === 'scrape' ? { 'X-Fetched-By': FETCHED_BY, 'X-Notes': NOTES } : {}),
        }),
  };
  const base = { description: answer.kind === 'empty' ? 'Done.' : 'Success.', headers };
  switch (answer.kind) {
    case 'empty':
      return base;
    case 'stream':
      return {
        ...base,
        content: Object.fromEntries(
          answer.contentTypes.map((type) => [type, { schema: streamSchema(type) }]),
        ),
      };
    case 'events':
      return { ...base, content: { 'text/event-stream': { schema: { type: 'string' } } } };
    case 'json':
    case 'json-text':
      return {
        ...base,
        content: {
          'application/json': { schema: write(answer.schema, 'answer', `${pascalCase(operation.id)}Answer`) },
          ...(answer.kind === 'json' && answer.streams
            ? Object.fromEntries(answer.streams.map((type) => [type, { schema: { type: 'string' } }]))
            : {}),
        },
      };
  }
}

function errorSchemaOf(code: ErrorCode): keyof typeof ERROR_SCHEMAS {
  if (code === 'insufficient_credits') return 'InsufficientCredits';
  return code === 'pending_limit' ? 'PendingLimit' : 'Error';
}

/** What an operation can answer because of the rest of its definition. */
function impliedErrors({
  auth,
  method,
  creates,
  answer,
  fairShare,
  params,
  credits,
}: Operation): ErrorCode[] {
  const isOpen = answer.kind === 'stream' || answer.kind === 'events';
  const rules: [ErrorCode, boolean][] = [
    ['unauthorized', auth === 'key'],
    // Also for operations without a body: a body that is sent is read before it is refused.
    ['body_too_large', method !== 'GET'],
    ['unsupported_media_type', method !== 'GET'],
    ['idempotency_conflict', creates === true],
    ['concurrency_limit_exceeded', isOpen || fairShare !== undefined],
    ['not_found', params !== undefined],
    ['insufficient_credits', Boolean(credits)],
  ];
  return rules.flatMap(([code, applies]) => (applies ? [code] : []));
}

/** The responses with errors; the shapes of their bodies are added to the components when first used. */
function errorResponses(components: Json, operation: Operation): Json {
  const codes = [...COMMON_ERRORS, ...impliedErrors(operation), ...operation.errors];
  const byStatus = Map.groupBy(new Set(codes), (code) => ERRORS[code].status);
  const responses: Json = {};
  for (const [status, group] of [...byStatus].sort(([a], [b]) => a - b)) {
    const names = [...new Set(group.map(errorSchemaOf))];
    for (const name of names) components[name] = ERROR_SCHEMAS[name];
    const distinct = names.map((name) => ({ $ref: `#/components/schemas/${name}` }));
    responses[String(status)] = {
      description: group.map((code) => `\`${ERRORS[code].text}\`: ${ERRORS[code].when}`).join('\n\n'),
      ...(status === 429 || status === 503
        ? { headers: { 'Retry-After': integerHeader('Seconds after which it makes sense to try again.') } }
        : {}),
      content: { 'application/json': { schema: distinct.length === 1 ? distinct[0] : { anyOf: distinct } } },
    };
  }
  return responses;
}

/** OpenAPI 3.1 of a list of operations, from the very schemas that validate. */
export function buildDocument(operations: readonly Operation[], serverUrl: string): Json {
  const components: Json = {};
  const write = createSchemaWriter(components);
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    const path = (paths[operation.path] ??= {});
    const example = exampleOf(operation);
    path[operation.method.toLowerCase()] = {
      operationId: operation.id,
      tags: [operation.tag],
      summary: operation.summary,
      ...(operation.description === undefined ? {} : { description: operation.description }),
      ...(operation.auth === 'public' ? { security: [] } : {}),
      parameters: [
        ...parameters(write, operation.params, 'path', example.params),
        ...parameters(write, operation.query, 'query', example.query),
        ...(operation.creates === true ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
      ],
      ...requestBody(write, operation, example.body),
      responses: {
        ...successResponses(write, operation),
        ...errorResponses(components, operation),
      },
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Gleaner',
      version: '1',
      description: INTRODUCTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: serverUrl }],
    security: [{ apiKeyHeader: [] }, { apiKeyQuery: [] }],
    tags: [...new Set(operations.map((operation) => operation.tag))].map((name) => ({
      name,
      description: TAG_DESCRIPTIONS[name],
    })),
    paths,
    components: {
      schemas: components,
      parameters: {
        IdempotencyKey: {
          name: 'Idempotency-Key',
          in: 'header',
          required: false,
          description: 'The same key with the same body within 24 hours gives the first answer again.',
          schema: { type: 'string', minLength: 1, maxLength: 255 },
        },
      },
      securitySchemes: {
        apiKeyHeader: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        apiKeyQuery: {
          type: 'apiKey',
          in: 'query',
          name: 'api_key',
          description: 'For compatibility: a key in a URL can leak into histories and logs.',
        },
      },
    },
  };
}
