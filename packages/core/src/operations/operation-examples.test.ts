import { exampleOf } from '@gleaner/contracts';
import { expect, test } from 'vitest';
import { operationTable } from './operation-table.ts';

const operations = operationTable.map(({ operation }) => operation);

test.each(operations.map((operation) => [operation.id, operation] as const))(
  'the example of %s is a request that its schemas accept',
  (_id, operation) => {
    const example = exampleOf(operation);
    for (const part of ['params', 'query', 'body'] as const) {
      const schema = operation[part];
      const parsed = schema?.safeParse(example[part] ?? (part === 'body' ? undefined : {}));
      expect(parsed?.error?.issues ?? [], part).toEqual([]);
      if (schema === undefined) expect(example[part]).toBeUndefined();
    }
  },
);
