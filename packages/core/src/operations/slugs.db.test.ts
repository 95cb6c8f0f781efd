import {
  AppError,
  exampleOf,
  isForPrograms,
  SLUGGED_KINDS,
  takesRefs,
  type Operation,
  type SluggedKind,
} from '@gleaner/contracts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestAccount } from '../testing/test-services.ts';
import type { CallInput } from './call-input.ts';
import type { OperationServices } from './operation-entry.ts';
import { operationTable } from './operation-table.ts';
import { callOnce, formOf, openTestCall, openTestDoor, refusalOf, valueOf } from './testing/test-calls.ts';

let services: OperationServices;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ services, close } = await openTestDoor());
});
afterAll(() => close());

const CREATORS: Readonly<Record<SluggedKind, string>> = {
  parser: 'createParser',
  database: 'createDatabase',
  workflow: 'createWorkflow',
  cron: 'createCron',
  webhook: 'createWebhook',
  alert: 'createAlert',
};
const PREFIXES: Readonly<Record<string, SluggedKind>> = {
  prs: 'parser',
  db: 'database',
  wfl: 'workflow',
  crn: 'cron',
  whk: 'webhook',
  alr: 'alert',
};
function slugOf(kind: SluggedKind): string {
  return `the-${kind}`;
}
const ID = /\b([a-z]{2,3})_[0-9a-z]{26}(?![0-9a-z])/g;

/** An account with one resource of each kind, and what stands for them in its calls. */
interface Side {
  apiKey: string;
  names: Map<string, string>;
}

function find(id: string): Operation {
  const found = operationTable.find(({ operation }) => operation.id === id);
  if (!found) throw new Error(`no operation ${id}`);
  return found.operation;
}

/** The example of an operation with the names of this side. */
function inputFor({ names }: Side, operation: Operation): CallInput {
  const example = exampleOf(operation);
  // No worker runs here, and no list of these proxies is configured: a scrape ends where it would be sent to a worker.
  if (operation.id.startsWith('scrape')) {
    if (operation.method === 'GET') example.query = { ...example.query, proxy: 'premium' };
    else example.body = { ...(example.body as object), proxy: 'premium' };
  }
  const text = JSON.stringify(example).replaceAll(
    ID,
    (id, prefix: string) => names.get(PREFIXES[prefix] ?? prefix) ?? id,
  );
  return JSON.parse(text) as CallInput;
}

/** Replaces what always differs between the two accounts: ids, times and secrets. */
function normalise(text: string): string {
  return text
    .replaceAll(ID, '$1')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time')
    .replaceAll(/whsec_[\w+/=]+/g, 'secret')
    .replaceAll(/("password":"|_reader:)[\w-]+/g, '$1secret');
}

async function outcome(side: Side, operation: Operation): Promise<string> {
  const call = await openTestCall(services, operation.id, side);
  try {
    const { answer } = await call.run(inputFor(side, operation));
    if (answer.kind === 'json') return normalise(JSON.stringify(answer.value));
    if (answer.kind === 'json-text') return answer.jsonText;
    if (answer.kind !== 'stream') return answer.kind;
    let text = '';
    for await (const part of answer.stream) text += String(part);
    return normalise(text);
  } catch (error) {
    if (error instanceof AppError) return normalise(JSON.stringify(error.toBody()));
    throw error;
  } finally {
    call.end();
  }
}

async function createSide(by: 'id' | 'slug'): Promise<Side> {
  const { apiKey } = await createTestAccount(services);
  const side: Side = { apiKey, names: new Map() };
  for (const kind of Object.keys(CREATORS) as SluggedKind[]) {
    const { body } = inputFor(side, find(CREATORS[kind]));
    const created = await callOnce(services, CREATORS[kind], side, {
      body: { ...(body as object), slug: slugOf(kind) },
    });
    const record = valueOf(created) as { id: string; slug: string };
    expect(record.slug).toBe(slugOf(kind));
    side.names.set(kind, by === 'id' ? record.id : record.slug);
  }
  const sample = await callOnce(services, 'createParserSample', side, {
    params: { id: side.names.get('parser') },
    body: { html: '<h1>Blue kettle</h1>' },
  });
  side.names.set('smp', (valueOf(sample) as { id: string }).id);
  return side;
}

const LAST = [
  'deleteCron',
  'deleteWorkflow',
  'deleteDatabase',
  'deleteParser',
  'deleteWebhook',
  'deleteAlert',
];
const operations = operationTable
  .map(({ operation }) => operation)
  .filter(isForPrograms)
  .filter(({ params, query, body }) => [params, query, body].some(takesRefs))
  // Records are read before they are changed, and deleted at the end, those that use others first.
  .sort((a, b) => LAST.indexOf(a.id) - LAST.indexOf(b.id));

test('every operation that takes an id answers the same by slug', async () => {
  expect(operations.length).toBeGreaterThan(40);
  const byId = await createSide('id');
  const bySlug = await createSide('slug');
  for (const operation of operations) {
    const answer = await outcome(bySlug, operation);
    expect(answer, operation.id).toBe(await outcome(byId, operation));
    const isFound = !answer.includes('"not found"');
    // No delivery was sent, no table was made and no batch is there.
    const needsMore = ['deliveryId', 'table'].some((name) => operation.path.includes(`{${name}}`));
    const isLacking = needsMore || ['proposeParserRepair', 'keepBatch', 'parsePages'].includes(operation.id);
    expect(isFound || isLacking, `${operation.id}: ${answer}`).toBe(true);
  }
});

test('every field that names a resource is one that takes its slug', () => {
  const kinds = SLUGGED_KINDS.join('|');
  const inputs = operationTable.map(({ operation: { id, params, query, body } }) => ({
    id,
    shape: { ...params?.shape, ...query?.shape, ...(body && 'shape' in body ? (body.shape as object) : {}) },
  }));
  for (const { id, shape } of inputs)
    for (const [name, field] of Object.entries(shape)) {
      const { description = '' } = field as { description?: string };
      expect(description, `${id}.${name}`).not.toMatch(new RegExp(`Identifier of the (${kinds})\\.`));
    }
});

test.each(Object.entries(CREATORS))('a slug names one %s of an account and can be changed', async (_, id) => {
  const side = await createSide('slug');
  const kind = (Object.keys(CREATORS) as SluggedKind[]).find((key) => CREATORS[key] === id);
  if (!kind) throw new Error('no kind');
  const body = { ...(inputFor(side, find(id)).body as object), name: 'another' };
  if (kind === 'webhook') Reflect.deleteProperty(body, 'name');
  const create = (slug: string) => callOnce(services, id, side, { body: { ...body, slug } });
  const taken = await refusalOf(create(slugOf(kind)));
  expect(taken.toBody()).toMatchObject({ error: 'name taken', field: 'slug' });
  const second = valueOf(await create('second')) as { id: string };
  const update = (slug: string | null) =>
    callOnce(services, id.replace('create', 'update'), side, { params: { id: second.id }, body: { slug } });
  expect((await refusalOf(update(slugOf(kind)))).code).toBe('name_taken');
  expect(valueOf(await update('third'))).toMatchObject({ slug: 'third' });
  const get = (by: string) => callOnce(services, id.replace('create', 'get'), side, { params: { id: by } });
  expect(valueOf(await get('third'))).toMatchObject({ id: second.id, slug: 'third' });
  expect((await refusalOf(get('second'))).code).toBe('not_found');
  expect(valueOf(await update(null))).toMatchObject({ slug: null });
  const stranger = await createTestAccount(services);
  expect(
    (
      await refusalOf(
        callOnce(services, id.replace('create', 'get'), stranger, { params: { id: slugOf(kind) } }),
      )
    ).code,
  ).toBe('not_found');
});

test('the slug of a deleted parser is free again', async () => {
  const side = await createSide('slug');
  const create = () =>
    callOnce(services, 'createParser', side, {
      body: { name: 'p', schema: { fields: { title: 'h1' } }, slug: 'again' },
    });
  await create();
  await callOnce(services, 'deleteParser', side, { params: { id: 'again' } });
  expect((await create()).status).toBe(201);
});

test.each(['preview', 'suggest', 'new', 'page-resources', 'prs_01', 'Products', '1st', 'a'.repeat(64), ''])(
  '%s is no slug',
  async (slug) => {
    const { apiKey } = await createTestAccount(services);
    const body = { name: 'p', schema: { fields: { title: 'h1' } }, slug };
    const refusal = await refusalOf(callOnce(services, 'createParser', { apiKey }, { body }));
    expect(refusal.toBody()).toMatchObject({ error: 'invalid request', field: 'slug' });
  },
);

test('a form names its target by slug', async () => {
  const side = await createSide('slug');
  const upload = formOf(
    { target: JSON.stringify({ type: 'parser', parserId: slugOf('parser') }) },
    { name: 'file', contentType: 'application/x-ndjson', text: 'http://a.test/1\n' },
  );
  const record = valueOf(await callOnce(services, 'createBatch', side, { upload }));
  expect(record).toMatchObject({ target: { parserId: expect.stringMatching(/^prs_/) } });
});

test('an Idempotency-Key gives the first answer, though its slug names another parser now', async () => {
  const side = await createSide('slug');
  const body = { target: { type: 'parser', parserId: slugOf('parser') }, urls: ['http://a.test/'] };
  const create = () => callOnce(services, 'createBatch', side, { body, idempotencyKey: 'k' });
  const first = await create();
  await callOnce(services, 'updateParser', side, {
    params: { id: slugOf('parser') },
    body: { slug: 'other' },
  });
  expect(await create()).toEqual({ ...first, isReplayed: true });
});
