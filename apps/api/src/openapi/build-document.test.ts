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
  const batch = document.paths['/v1/batches']?.['post']?.requestBody.content;
  expect(batch?.['application/json']?.schema).toMatchObject({
    properties: { sink: { $ref: '#/components/schemas/Sink' } },
  });
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
