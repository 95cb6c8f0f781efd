import { ERRORS } from '@gleaner/contracts';
import { z } from 'zod';
import type { Endpoint, OpenApiDocument, Schema } from './document.ts';
import type { FuzzRequest } from './request.ts';
import type { FuzzAnswer, Sent } from './send.ts';

const ERROR_TEXTS: ReadonlySet<string> = new Set(Object.values(ERRORS).map(({ text }) => text));
const errorShape = z.strictObject({
  error: z.string(),
  field: z.string().optional(),
  detail: z.string().optional(),
  hint: z.string().optional(),
  required: z.int().optional(),
  available: z.int().optional(),
  pending: z.int().optional(),
  limit: z.int().optional(),
  accepted: z.int().optional(),
});

const LEAKS: ReadonlyArray<readonly [string, RegExp]> = [
  ['a stack trace', /\bat [\w.<>]+ \(|:\d+:\d+\)/],
  ['a path of the server', /node_modules|\/(?:packages|apps)\/\w+\/src\//],
  ['an error of Postgres', /PostgresError|\bpg_\w+|relation "|duplicate key value|violates /],
  ['a library', /\b(?:drizzle|fastify|FST_ERR|ZodError|undici)\b/i],
  ['an object as text', /\[object \w+\](?!")/],
];

/** Statuses that no operation documents, since they are decided before it is known. */
const BEFORE_ROUTING: ReadonlySet<number> = new Set([400, 404, 417, 431]);

/** Judges answers by the OpenAPI document of the service. */
interface Judge {
  /** What is wrong, in words; nothing when all is well. */
  judge: (request: FuzzRequest, sent: Sent, apiKey: string) => string[];
}

/** JSON Schema with the components inside, as zod reads it. @throws Error when zod can't read it */
function readable(schema: Schema, { components }: OpenApiDocument): z.ZodType {
  const inner = JSON.stringify({ ...schema, $defs: components.schemas });
  return z.fromJSONSchema(
    JSON.parse(inner.replaceAll('#/components/schemas/', '#/$defs/')) as Parameters<
      typeof z.fromJSONSchema
    >[0],
  );
}

function isJson(answer: FuzzAnswer): boolean {
  return String(answer.headers['content-type']).startsWith('application/json');
}

function parse(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

function judgeError(answer: FuzzAnswer): string[] {
  const parsed = parse(answer.text);
  if (!isJson(answer) || parsed === undefined) return ['the error is not JSON'];
  const shape = errorShape.safeParse(parsed.value);
  if (!shape.success) return [`the error has another shape: ${shape.error.issues[0]?.message ?? ''}`];
  const { error, detail } = shape.data;
  const found: string[] = [];
  if (!ERROR_TEXTS.has(error)) found.push(`the error is not in the catalogue: ${error}`);
  const needsDetail = answer.status === 400 || answer.status === 415;
  if (needsDetail && detail === undefined) found.push(`a ${answer.status} without detail`);
  if (needsDetail && /Invalid input|(?<!")undefined|expected \w+, received/.test(detail ?? '')) {
    found.push(`the text of a library: ${detail ?? ''}`);
  }
  const canWait = answer.status === 429 || answer.status === 503;
  if (canWait && answer.headers['retry-after'] === undefined)
    found.push(`a ${answer.status} without Retry-After`);
  if (answer.status === 503 && detail === undefined) found.push('a 503 that does not say why');
  return found;
}

function judgeLeaks({ text, status }: FuzzAnswer, { path, body }: FuzzRequest, apiKey: string): string[] {
  if (text.includes(apiKey)) return ['the API key is in the answer'];
  if (status < 400) return [];
  // What the client sent comes back in texts.
  const own = `${decodeURIComponentSafely(path)}${body?.toString() ?? ''}`;
  return LEAKS.flatMap(([what, pattern]) => {
    const [match] = pattern.exec(text) ?? [];
    return match !== undefined && !own.includes(match) ? [`${what}: ${match}`] : [];
  });
}

function decodeURIComponentSafely(text: string): string {
  return text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded;
    }
  });
}

export function createJudge(document: OpenApiDocument): Judge {
  const schemas = new Map<string, z.ZodType | undefined>();
  const schemaOf = (endpoint: Endpoint, status: number): z.ZodType | undefined => {
    const key = `${endpoint.operationId} ${status}`;
    if (!schemas.has(key)) {
      const schema = endpoint.responses[String(status)]?.content?.['application/json']?.schema;
      schemas.set(key, schema === undefined ? undefined : readable(schema, document));
    }
    return schemas.get(key);
  };

  const judgeSuccess = (endpoint: Endpoint, answer: FuzzAnswer): string[] => {
    if (!isJson(answer)) return [];
    const parsed = parse(answer.text);
    if (parsed === undefined) return ['the answer is not JSON'];
    const result = schemaOf(endpoint, answer.status)?.safeParse(parsed.value);
    if (result === undefined || result.success) return [];
    const [issue] = result.error.issues;
    return [`the answer is off its schema at ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`];
  };

  return {
    judge(request, sent, apiKey) {
      if ('failure' in sent) {
        if (sent.failure === 'unsendable' || request.isBroken) return [];
        return [`${sent.failure}: ${sent.reason}`];
      }
      const { endpoint } = request;
      const isKnown = String(sent.status) in endpoint.responses || BEFORE_ROUTING.has(sent.status);
      return [
        ...(sent.status === 500 ? ['500'] : []),
        ...(isKnown || sent.status === 304 ? [] : [`status ${sent.status} is not documented`]),
        ...(sent.headers['x-request-id'] === undefined ? ['no X-Request-Id'] : []),
        ...(sent.status >= 400 ? judgeError(sent) : judgeSuccess(endpoint, sent)),
        ...judgeLeaks(sent, request, apiKey),
      ];
    },
  };
}
