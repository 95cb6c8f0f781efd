import * as contracts from '@gleaner/contracts';
import { expect, test } from 'vitest';
import { operationTable } from './operation-table.ts';

/** The operations in contracts, found by their shape. */
function describedIds(): string[] {
  const forms = Object.values(contracts.API_OPERATIONS).flatMap(({ get, post }) => [get.id, post.id]);
  const named = Object.values(contracts).flatMap((value) =>
    typeof value === 'object' && 'method' in value && 'path' in value ? [value.id] : [],
  );
  return [...named, ...forms].toSorted();
}

test('every operation in contracts has exactly one function', () => {
  expect(operationTable.map(({ operation }) => operation.id).toSorted()).toEqual(describedIds());
});

test('only streams are read page by page within the fair share', () => {
  const paged = operationTable.filter(({ operation }) => operation.fairShare === 'each-page');
  expect(new Set(paged.map(({ operation }) => operation.answer.kind))).toEqual(new Set(['stream']));
});
