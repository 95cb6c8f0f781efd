import { getCredits, getParser } from '@gleaner/contracts';
import {
  getCredits as readCredits,
  getParser as readParser,
  type AccountTurns,
  type Context,
} from '@gleaner/core';
import { expect, test } from 'vitest';
import { endpoint, inTurn } from './endpoint.ts';
import type { ApiServices } from './services.ts';

test('an operation takes the function that performs it, and no other', () => {
  expect(endpoint(getCredits, readCredits).operation.id).toBe('getCredits');
  // @ts-expect-error the answer has no parser's fields
  expect(endpoint(getParser, readCredits).operation.id).toBe('getParser');
  // @ts-expect-error the operation has no path parameters
  expect(endpoint(getCredits, readParser).operation.id).toBe('getCredits');
});

test('what may take seconds has its turn of the account', async () => {
  const turns: string[] = [];
  const take: AccountTurns['take'] = async (accountId, work) => {
    turns.push(accountId);
    return work();
  };
  // Of the context a turn needs no more.
  const ctx = { accountId: 'acc_a', services: { turns: { take } } } as unknown as Context<ApiServices>;
  const input = { params: undefined, query: undefined, body: undefined, upload: undefined };
  const answer = { creditBalance: 1, concurrency: 2 };
  expect(await inTurn<typeof getCredits>(() => answer)(ctx, input)).toBe(answer);
  expect(turns).toEqual(['acc_a']);
});
