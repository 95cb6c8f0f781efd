import { createClient, GleanerError, type Client } from '@gleaner/client';
import { METHODS, type CalledName } from './methods.ts';
import type { CallInput, CallOutput, OperationName, OperationOf } from './operations.ts';
import { readProblem } from './problem.ts';

export type { CallInput, CallOutput } from './operations.ts';

/** Sent with every request: a page of another site can't send it. */
export const OWN_HEADERS = { 'x-gleaner-dashboard': '1' };

/** Fires `signed-out` when an answer reports the end of the session. */
export const signedOut = new EventTarget();

/**
 * Sends a request to this origin with the session.
 * @throws Problem
 */
export async function send(path: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(path, {
    ...init,
    credentials: 'same-origin',
    headers: { ...OWN_HEADERS, ...(init.headers as Record<string, string> | undefined) },
  });
  if (response.ok) return response;
  const problem = await readProblem(response);
  if (problem.status === 401) signedOut.dispatchEvent(new Event('signed-out'));
  throw problem;
}

/**
 * The typed client of the public API, with the session of this origin. Queries and people repeat failed calls, so it
 * does not.
 */
export const client = createClient({
  baseUrl: '',
  retries: 0,
  fetch: (input, init) => send(input instanceof Request ? input.url : String(input), init),
});

/** The Problem within an error of the client: `send` has read the whole answer. */
export function unwrap(error: unknown): unknown {
  return error instanceof GleanerError && error.cause !== undefined ? error.cause : error;
}

interface ErasedInput {
  params?: Record<string, unknown>;
  query?: unknown;
  body?: unknown;
}

type ErasedClient = Record<string, Record<string, (...args: unknown[]) => Promise<unknown>>>;

/** Calls an operation on a client. Only `call` and its test need it. */
export async function callOn(on: Client, name: CalledName, input: object, options: object): Promise<unknown> {
  const [group, method, ...names] = METHODS[name];
  const { params = {}, query, body } = input as ErasedInput;
  const args = names.map((arg) => (arg === 'body' ? body : arg === 'query' ? query : params[arg]));
  return (on as unknown as ErasedClient)[group]?.[method]?.(...args, options);
}

/** Calls an operation. @throws Problem */
export async function call<N extends CalledName>(
  name: N,
  input: CallInput<N>,
  options: { signal?: AbortSignal } = {},
): Promise<CallOutput<N>> {
  try {
    // The server answers by the very schema that the type comes from.
    return (await callOn(client, name, input as object, options)) as CallOutput<N>;
  } catch (error) {
    throw unwrap(error);
  }
}

const EXPORTS = {
  exportBatch: '/v1/batches/{id}/export',
  exportTable: '/v1/databases/{id}/tables/{table}/export',
} as const satisfies { [N in OperationName]?: OperationOf<N>['path'] };

/** The address of a download, relative to this origin: the browser itself saves it. */
export function exportUrl(
  name: keyof typeof EXPORTS,
  { params, query }: { params: Record<string, string>; query: Record<string, string | undefined> },
): string {
  const path = EXPORTS[name].replaceAll(/\{(\w+)\}/g, (_match, key: string) =>
    encodeURIComponent(params[key] ?? ''),
  );
  const given = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]));
  return `${path}?${new URLSearchParams(given).toString()}`;
}

type UploadFields = Omit<Parameters<Client['batches']['createFromFile']>[0], 'file'>;

/** Creates a batch from a file or text. @throws Problem */
export async function uploadBatch(fields: UploadFields, inputs: Blob): Promise<unknown> {
  try {
    return await client.batches.createFromFile({
      ...fields,
      file: { content: inputs, filename: 'inputs.txt' },
    });
  } catch (error) {
    throw unwrap(error);
  }
}
