import type * as contracts from '@gleaner/contracts';
import { API_IDS, ERRORS, type ApiId, type Operation } from '@gleaner/contracts';
import { describe, expect, expectTypeOf, test } from 'vitest';
import type { z } from 'zod';
import { createClient } from './client.ts';
import { OPERATIONS as operations, ROUTES } from './contracts.ts';
import type {
  Apis,
  Batch,
  CreateBatchInput,
  CreateJobInput,
  ErrorText,
  GetBatchFailuresAnswer,
  Job,
  ListRowsQuery,
  Operations,
  PreviewParserAnswer,
  ScrapeConfig,
  Sink,
} from './generated/operations.ts';
const routes = Object.entries(ROUTES).flatMap(([group, members]) =>
  Object.entries(members).map(([name, route]) => ({ group, name, route })),
);

describe('the operation table', () => {
  const client: object = createClient({ baseUrl: 'http://localhost' });

  test('is not empty', () => {
    expect(operations.length).toBeGreaterThan(40);
  });

  test.each(operations.map((operation): [string, Operation] => [operation.id, operation]))(
    '%s has a method, which knows what it takes and gives',
    (_id, { method, path, body, upload, query, creates, credits, answer }) => {
      const found = routes.filter(
        ({ name, route }) => name !== 'waitFor' && route.method === method && route.path === path,
      );
      expect(found.map(({ route }) => route.takes ?? 'nothing').toSorted()).toEqual(
        [body && 'body', upload && 'parts', !body && !upload && 'nothing'].filter(Boolean).toSorted(),
      );
      for (const { group, name, route } of found) {
        expect(client).toHaveProperty([group, name], expect.any(Function));
        expect(route.hasQuery === true).toBe(query !== undefined);
        expect(route.creates === true).toBe(creates === true);
        expect(route.isMetered === true).toBe(credits !== undefined);
        const kinds = { 'json-text': ['json', 'list'], json: ['json', 'list'] } as Record<string, string[]>;
        expect(kinds[answer.kind] ?? [answer.kind]).toContain(route.answer);
      }
    },
  );

  test('has no method without an operation', () => {
    for (const { group, name, route } of routes) {
      if (group === 'apis' && name === 'call') continue;
      const path = operations.some(
        (operation) => operation.path === route.path && operation.method === route.method,
      );
      expect(path, `${group}.${name}`).toBe(true);
    }
  });

  test('every list with a cursor is a listing, and every run has a wait method', () => {
    for (const { query, answer, path, method } of operations) {
      if (query?.shape['cursor'] === undefined || !('schema' in answer)) continue;
      const found = routes.find(({ route }) => route.path === path && route.method === method);
      expect(found?.route.answer, path).toBe('list');
    }
    const waits = routes.filter(({ name }) => name === 'waitFor').map(({ route }) => route);
    expect(waits).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ path: '/v1/batches/{id}', events: '/v1/batches/{id}/events' }),
        expect.objectContaining({ path: '/v1/jobs/{id}' }),
      ]),
    );
  });
});

type Input<O extends { body: z.ZodType }> = z.input<O['body']>;
type Output<O extends { answer: { schema: z.ZodType } }> = z.output<O['answer']['schema']>;
type Fits<A, B> = [A] extends [B] ? true : false;

/** What the schemas of each operation infer. */
type Bodies = {
  [
    K in keyof typeof contracts as (typeof contracts)[K] extends {
      id: infer I extends keyof Operations;
      body: z.ZodType;
    }
      ? I
      : never
  ]: (typeof contracts)[K] extends { body: infer S extends z.ZodType } ? z.input<S> : never;
};
type Answers = {
  [
    K in keyof typeof contracts as (typeof contracts)[K] extends {
      id: infer I extends keyof Operations;
      answer: { schema: z.ZodType };
    }
      ? I
      : never
  ]: (typeof contracts)[K] extends { answer: { schema: infer S extends z.ZodType } } ? z.output<S> : never;
};
type BodyOf<I extends keyof Operations> = Operations[I]['input'] extends { body?: infer B } ? B : never;

/** The operations whose written types differ from those that their schemas infer. Inputs are readonly when written. */
type OtherBodies = { [I in keyof Bodies]: Fits<Bodies[I], BodyOf<I>> extends true ? never : I }[keyof Bodies];
type OtherAnswers = {
  [I in keyof Answers]: Fits<Answers[I], Operations[I]['answer']> extends true
    ? Fits<Operations[I]['answer'], Answers[I]> extends true
      ? never
      : I
    : I;
}[keyof Answers];

/** They hold schemas of parsers or workflows, which are written closer than Zod infers them. */
type CloserBodies =
  | 'compareParserVersions'
  | 'createCrawl'
  | 'createParser'
  | 'createWorkflow'
  | 'previewParser'
  | 'scrapeWithSchema'
  | 'updateParser'
  | 'updateWorkflow';
type CloserAnswers =
  | 'createParser'
  | 'createWorkflow'
  | 'getParser'
  | 'getWorkflow'
  | 'listParserVersions'
  | 'listWorkflows'
  | 'proposeParserRepair'
  | 'restoreParserVersion'
  | 'updateParser'
  | 'updateWorkflow'
  // A filter is written once, for bodies and for answers, and so with readonly lists.
  | 'createWebhook'
  | 'getWebhook'
  | 'listWebhooks'
  | 'updateWebhook';

test('what is written of each operation is what its schemas infer', () => {
  expectTypeOf<OtherBodies>().toEqualTypeOf<CloserBodies>();
  expectTypeOf<OtherAnswers>().toEqualTypeOf<CloserAnswers>();
});

test('the generated types equal the types of the validating schemas', () => {
  expectTypeOf<Fits<Input<typeof contracts.createBatch>, CreateBatchInput>>().toEqualTypeOf<true>();
  expectTypeOf<Fits<Input<typeof contracts.createJob>, CreateJobInput>>().toEqualTypeOf<true>();
  expectTypeOf<Fits<z.input<typeof contracts.scrapeConfigSchema>, ScrapeConfig>>().toEqualTypeOf<true>();
  expectTypeOf<Fits<z.input<typeof contracts.sinkSchema>, Sink>>().toEqualTypeOf<true>();
  // Records name what a sink left to its defaults; the type of a sink leaves it open.
  expectTypeOf<Fits<Output<typeof contracts.getBatch>, Batch>>().toEqualTypeOf<true>();
  expectTypeOf<Fits<Output<typeof contracts.getJob>, Job>>().toEqualTypeOf<true>();
  expectTypeOf<GetBatchFailuresAnswer>().toEqualTypeOf<Output<typeof contracts.getBatchFailures>>();
  expectTypeOf<PreviewParserAnswer>().toEqualTypeOf<Output<typeof contracts.previewParser>>();
  expectTypeOf<keyof Apis>().toEqualTypeOf<ApiId>();
  expectTypeOf<Apis['realty-details']['answer']>().toEqualTypeOf<
    Output<(typeof contracts.API_OPERATIONS)['realty-details']['post']>
  >();
  expectTypeOf<ListRowsQuery['filter']>().toEqualTypeOf<
    string | { readonly [name: string]: unknown } | undefined
  >();
  expect(API_IDS.length).toBeGreaterThan(0);
  const texts = Object.values(ERRORS).map(({ text }): string => text);
  expect(texts).toContain('not found' satisfies ErrorText);
});
