import { AppError } from '@gleaner/contracts';
import { operationTable, type CallInput, type CallResult } from '@gleaner/core';
import { withCall, type DoorClient } from '../http/with-call.ts';
import type { ApiServices } from '../services.ts';

const ENTRIES = new Map(operationTable.map((entry) => [entry.operation.id, entry]));

/** A request at the door: its sender, and the signal that ends its work. */
export interface DoorRequest {
  services: ApiServices;
  client: DoorClient;
  signal: AbortSignal;
}

function entryOf(id: string) {
  const entry = ENTRIES.get(id);
  if (entry === undefined) throw new Error(`there is no operation ${id}`);
  return entry;
}

/** Fields of operations that have another name here. The first that fits counts. */
const FIELD_NAMES: readonly [RegExp, string][] = [
  [/^(?:routes\W+\d+\W+)?schema\.fields\.json\./, 'formats.json.schema.'],
  [/^(?:scrape_config\.)?waitSeconds/, 'waitFor'],
  [/^(?:scrape_config\.)?timeoutSeconds/, 'timeout'],
  [/^(?:scrape_config\.)?country/, 'location.country'],
  [/^scrape_config\./, ''],
  [/^crawl\.include/, 'includePaths'],
  [/^crawl\.exclude/, 'excludePaths'],
  [/^limits\.pages/, 'limit'],
  [/^start\W+\d+\W*/, 'url'],
];

function toOwnField(field: string): string {
  const [pattern, name] = FIELD_NAMES.find(([one]) => one.test(field)) ?? [];
  return pattern === undefined || name === undefined ? field : field.replace(pattern, name);
}

/** What an operation says of its input, with the name that the input has here. */
function withOwnField(error: unknown): unknown {
  if (!(error instanceof AppError) || error.options.field === undefined) return error;
  return new AppError(error.code, { ...error.options, field: toOwnField(error.options.field) });
}

/**
 * Calls an operation, with the limits and the price that it has at every door.
 * @returns its answer as a value, and the credits that it used
 * @throws AppError the operation's errors
 */
export async function callOperation(
  { services, client, signal }: DoorRequest,
  id: string,
  input: CallInput,
): Promise<{ value: unknown; credits: CallResult['credits'] }> {
  return withCall(services, client, { entry: entryOf(id), signal }, async (call) => {
    const { answer, credits } = await call.run(input);
    if (answer.kind === 'json') return { value: answer.value, credits };
    if (answer.kind === 'json-text') return { value: JSON.parse(answer.jsonText) as unknown, credits };
    throw new Error(`${id} answers with ${answer.kind}`);
  }).catch((error: unknown) => {
    throw withOwnField(error);
  });
}

/** Waits until a run has ended, as clients follow it over REST. @throws AppError, or the signal's reason */
export async function waitForEnd({ services, client, signal }: DoorRequest, id: string): Promise<void> {
  await withCall(services, client, { entry: entryOf('watchWorkflowRun'), signal }, async (call) => {
    const { answer } = await call.run({ params: { id } });
    if (answer.kind !== 'events') throw new Error('a run has no events');
    // The last event is the run's end.
    for await (const _ of answer.events) signal.throwIfAborted();
    signal.throwIfAborted();
  });
}

/**
 * Does work within a time.
 * @throws AppError fetch_timed_out when the time is over first
 */
export async function within<T>(
  request: DoorRequest,
  limitMs: number,
  work: (limited: DoorRequest) => Promise<T>,
): Promise<T> {
  const over = AbortSignal.timeout(limitMs);
  try {
    return await work({ ...request, signal: AbortSignal.any([request.signal, over]) });
  } catch (error) {
    if (!over.aborted) throw error;
    throw new AppError('fetch_timed_out', { detail: `the timeout of ${limitMs} ms was over`, cause: error });
  }
}
