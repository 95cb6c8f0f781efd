import { AppError, type UploadPart } from '@gleaner/contracts';
import { createEgressGuard, parseEgressAllow } from '@gleaner/fetching/egress';
import { createPageResources } from '@gleaner/fetching/page-resources';
import { createExtractionPool } from '@gleaner/threads';
import { createRunWatches } from '../../runs/watch/run-watches.ts';
import { createBlobStore } from '../../storage/blobs/blob-store.ts';
import { createSheets } from '../../storage/sheets/sheets.ts';
import { createTestExternal } from '../../storage/databases/testing/test-databases.ts';
import { createKeyRing } from '../../accounts/keys/key-ring.ts';
import { createCurrentParsers } from '../../parsers/current-parsers.ts';
import { createParserCache } from '../../parsers/parser-cache.ts';
import { createFairShare, createOpenStreams } from '../../platform/rate-limits/fair-share.ts';
import { openRateLimiter } from '../../platform/rate-limits/rate-limiter.ts';
import { openInteractive } from '../../runs/requests/open-interactive.ts';
import { openTestServices, type TestServices } from '../../testing/test-services.ts';
import type { CallResult, OperationServices, OperationEntry } from '../operation-entry.ts';
import type { CallInput } from '../call-input.ts';
import { openCall, type Call } from '../open-call.ts';
import { operationTable } from '../operation-table.ts';

/** Services of a process with a door, on a new database. `close` ends them all. */
export async function openTestDoor(): Promise<
  Omit<TestServices, 'services'> & { services: OperationServices }
> {
  const opened = await openTestServices();
  const { db, queue, log } = opened.services;
  const config = { ...opened.services.config, secretKey: '5'.repeat(64) };
  const { limiter, close: closeLimiter } = openRateLimiter({ redisUrl: undefined, db, log });
  const interactive = await openInteractive({ db, queue, log });
  const pool = createExtractionPool({ threads: 1, timeoutMs: 100_000 });
  const external = createTestExternal();
  const sheets = createSheets();
  const pageResources = createPageResources({
    egress: createEgressGuard({ allow: parseEgressAllow(undefined) }),
  });
  return {
    ...opened,
    services: {
      ...opened.services,
      config,
      interactive,
      currentParsers: createCurrentParsers({ db, config }),
      keys: createKeyRing(db, log),
      pool,
      external,
      pageResources,
      sheets,
      rateLimiter: limiter,
      parsers: createParserCache(db),
      blobs: createBlobStore(db, 10_000_000),
      watches: createRunWatches({ db, log }),
      fairShare: createFairShare(),
      streams: createOpenStreams(),
    },
    close: async () => {
      await pool.close();
      await interactive.close();
      await external.close();
      sheets.close();
      await pageResources.close();
      await closeLimiter();
      await opened.close();
    },
  };
}

export interface TestCaller {
  apiKey?: string | undefined;
  address?: string;
  signal?: AbortSignal;
}

/** @param id the operation's id */
export function findEntry(id: string): OperationEntry {
  const entry = operationTable.find(({ operation }) => operation.id === id);
  if (!entry) throw new Error(`no operation ${id}`);
  return entry;
}

/** Opens a call like a door. */
export function openTestCall(
  services: OperationServices,
  id: string,
  { apiKey, address = '192.0.2.1', signal = new AbortController().signal }: TestCaller,
): Promise<Call> {
  return openCall(services, findEntry(id), {
    address,
    authenticate: () => services.keys.authenticate(apiKey),
    requestId: 'req_test',
    signal,
  });
}

/** Performs a whole call of an operation without a streamed answer. */
export async function callOnce(
  services: OperationServices,
  id: string,
  caller: TestCaller,
  input: CallInput = {},
): Promise<CallResult> {
  const call = await openTestCall(services, id, caller);
  try {
    return await call.run(input);
  } finally {
    call.end();
  }
}

/** The JSON value of an answer. */
export function valueOf({ answer }: CallResult): unknown {
  if (answer.kind !== 'json') throw new Error(`the answer is of the kind ${answer.kind}`);
  return answer.value;
}

/** The error that a client would see. */
export async function refusalOf(call: Promise<unknown>): Promise<AppError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('the call did not fail');
}

/** A form with these fields and one file. */
export async function* formOf(
  fields: Readonly<Record<string, string>>,
  file: { name: string; contentType: string; text: string },
): AsyncGenerator<UploadPart, void, undefined> {
  for (const [name, value] of Object.entries(fields)) yield { kind: 'field', name, value };
  const bytes = Buffer.from(file.text);
  const stream = (async function* () {
    yield bytes;
  })();
  yield { kind: 'file', name: file.name, filename: undefined, contentType: file.contentType, stream };
}
