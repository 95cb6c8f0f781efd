import { operationTable } from '@gleaner/core';
import { expect, test } from 'vitest';
import { buildDocument } from './build-document.ts';

interface Node {
  [key: string]: unknown;
}

const operations = operationTable
  .map(({ operation }) => operation)
  .filter(({ auth }) => auth === 'key' || auth === 'public');
const document = JSON.parse(JSON.stringify(buildDocument(operations, '/'))) as {
  paths: Record<string, Record<string, { requestBody: { content: Record<string, { schema: Node }> } }>>;
  components: { schemas: Record<string, Node> };
};

function responsesOf(method: string, path: string): Node {
  const one = document.paths[path]?.[method.toLowerCase()] as { responses: Node } | undefined;
  return one?.responses ?? {};
}

function countIn(value: unknown, isOne: (node: Node) => boolean): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inner = Object.values(value).reduce((sum: number, part: unknown) => sum + countIn(part, isOne), 0);
  return inner + (!Array.isArray(value) && isOne(value as Node) ? 1 : 0);
}

test('parts of several operations have a name, so that a generated client has one type for each', () => {
  const names = [
    'Action',
    'CronTarget',
    'Pagination',
    'ScrapeConfig',
    'Sink',
    'Stage',
    'Target',
    'VideositeVideoResult',
  ];
  for (const name of names) {
    expect(document.components.schemas, name).toHaveProperty(name);
    expect(
      countIn(document, ({ $ref }) => $ref === `#/components/schemas/${name}`),
      name,
    ).toBeGreaterThan(1);
  }
  const body = document.paths['/v1/batches']?.['post']?.requestBody.content['application/json'];
  expect(body?.schema).toEqual({ $ref: '#/components/schemas/CreateBatchBody' });
  expect(document.components.schemas['CreateBatchBody']).toMatchObject({
    properties: { sink: { $ref: '#/components/schemas/Sink' } },
  });
});

test('scrapes name all headers of their answers, and work that is only accepted none of them', () => {
  const headersOf = (path: string, method: string, status: string): unknown => {
    const { responses } = (document.paths[path]?.[method] ?? {}) as unknown as {
      responses: Record<string, { headers: Node }>;
    };
    return responses[status]?.headers;
  };
  const names = ['X-Credits-Used', 'X-Credits-Remaining', 'X-Fetched-By', 'X-Notes'];
  for (const [path, method] of [
    ['/v1/scrape', 'post'],
    ['/v1/scrape/{parserId}', 'get'],
    ['/v1/scrape/{parserId}', 'post'],
  ] as const)
    for (const name of names) expect(headersOf(path, method, '200'), path).toHaveProperty([name]);
  expect(headersOf('/v1/batches', 'post', '202')).not.toHaveProperty(['X-Notes']);
});

/** Objects with two fields or more, by their text without descriptions. */
function formsIn(value: unknown, place: string, forms = new Map<string, string[]>()): Map<string, string[]> {
  if (typeof value !== 'object' || value === null) return forms;
  const { type, properties } = value as Node;
  if (type === 'object' && Object.keys(properties ?? {}).length > 1) {
    const form = JSON.stringify(value, (key, inner: unknown) =>
      (key === 'description' && typeof inner === 'string') || key === 'default' ? undefined : inner,
    );
    forms.set(form, [...(forms.get(form) ?? []), place]);
  }
  for (const [key, inner] of Object.entries(value)) {
    if (!['example', 'examples', 'enum', 'default'].includes(key)) formsIn(inner, `${place}/${key}`, forms);
  }
  return forms;
}

test('no object is written twice, so that a generated client has no two types for one thing', () => {
  const twice = [...formsIn(document, '').values()].filter((places) => places.length > 1);
  expect(twice).toEqual([]);
});

test('every body and answer that is an object has a name', () => {
  const isUnnamed = ({ schema }: Node): boolean => {
    const { type, properties } = (schema ?? {}) as Node;
    return type === 'object' && properties !== undefined;
  };
  const bodies = JSON.parse(JSON.stringify(document.paths), (key, value: unknown) =>
    key === 'multipart/form-data' ? undefined : value,
  ) as Node;
  expect(countIn(bodies, isUnnamed)).toBe(0);
});

test('every reference leads to a component', () => {
  const isDangling = ({ $ref }: Node): boolean =>
    typeof $ref === 'string' &&
    $ref.startsWith('#/components/schemas/') &&
    !($ref.slice(21) in document.components.schemas);
  expect(countIn(document, isDangling)).toBe(0);
  expect(countIn(document, ({ $ref }) => typeof $ref === 'string')).toBeGreaterThan(300);
});

test('files are binary', () => {
  const form = document.paths['/v1/batches']?.['post']?.requestBody.content['multipart/form-data'];
  expect(form?.schema).toMatchObject({ properties: { file: { type: 'string', format: 'binary' } } });
});

/** The schemas that a request's body leads to. */
function bodySchemas(): Set<string> {
  const found = new Set<string>();
  const follow = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const { $ref } = value as Node;
    const name = typeof $ref === 'string' ? $ref.slice(21) : undefined;
    if (name !== undefined && !found.has(name)) {
      found.add(name);
      follow(document.components.schemas[name]);
    }
    for (const inner of Object.values(value)) follow(inner);
  };
  for (const path of Object.values(document.paths))
    for (const { requestBody } of Object.values(path)) follow(requestBody);
  return found;
}

test('no field of a body has a default, which generators take for a field that must be sent', () => {
  const names = [...bodySchemas()];
  expect(names).toEqual(expect.arrayContaining(['Sink', 'CronTarget', 'CreateCronBody']));
  const faulty = names.filter(
    (name) =>
      countIn(document.components.schemas[name], (node) =>
        Object.values((node['properties'] ?? {}) as Record<string, Node>).some((field) => 'default' in field),
      ) > 0,
  );
  expect(faulty).toEqual([]);
  expect(JSON.stringify(document.components.schemas['DatabaseSink'])).toMatch(/Default: `\\"evolve/);
  expect(JSON.stringify(document.paths['/v1/usage'])).toContain('"default":"day"');
});

test('what the built-in parser lacks is refused with 409', () => {
  const allowed = new Set(['getParser', 'getParserOutput', 'deleteParserSample']);
  const without = operations
    .filter(({ path }) => path.startsWith('/v1/parsers/{id}'))
    .filter(({ method, path }) => !('409' in responsesOf(method, path)))
    .map(({ id }) => id);
  expect(new Set(without)).toEqual(allowed);
  expect(responsesOf('POST', '/v1/pages/parse')).toHaveProperty('404');
});

test('a JSON Schema is an object, and lines of JSON are a text', () => {
  const schemaOf = (path: string, type: string): unknown =>
    (responsesOf('GET', path)['200'] as { content: Node }).content[type];
  expect(schemaOf('/v1/parsers/{id}/output', 'application/schema+json')).toEqual({
    schema: { type: 'object' },
  });
  expect(schemaOf('/v1/batches/{id}/export', 'application/x-ndjson')).toEqual({ schema: { type: 'string' } });
});
