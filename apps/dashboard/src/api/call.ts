import { createClient, type Apis, type Client, type Operations } from '@gleaner/client';
import type { exportBatch, exportTable } from '@gleaner/contracts';

export type OperationId = keyof Operations;
/** Path parameters, query and body of an operation. */
export type CallInput<I extends OperationId> = Operations[I]['input'];
/** The answer of an operation. */
export type CallOutput<I extends OperationId> = Operations[I]['answer'];

/** Fires `signed-out` when an answer reports the end of the session. */
export const signedOut = new EventTarget();

/** The operator's session is separate: when it ends, the account's continues. */
function isOfAccount(url: string): boolean {
  return !/^\/(admin\/api|session\/operator)\b/.test(new URL(url).pathname);
}

/**
 * The client of this origin, with the session of its cookie. The header tells the service that the request is not from a page
 * of another site. Queries and people repeat failed calls, so the client does not.
 */
export const client = createClient({
  baseUrl: '',
  retries: 0,
  headers: { 'x-gleaner-dashboard': '1' },
  fetch: async (input, init) => {
    const response = await fetch(input, { ...init, credentials: 'same-origin' });
    if (response.status === 401 && isOfAccount(response.url))
      signedOut.dispatchEvent(new Event('signed-out'));
    return response;
  },
});

/** Calls an operation of the account that is signed in. @throws GleanerError */
export const { call } = client;

/** Calls a prebuilt API of the catalogue, which describes what it takes and gives. @throws GleanerError */
export function callApi<I extends keyof Apis>(id: I, input: object): Promise<unknown> {
  // The form follows the API's schema, and the service checks the rest.
  return client.apis.call(id, input);
}

const EXPORTS = {
  exportBatch: '/v1/batches/{id}/export',
  exportTable: '/v1/databases/{id}/tables/{table}/export',
} as const satisfies { exportBatch: typeof exportBatch.path; exportTable: typeof exportTable.path };

/** The address of a download, relative to this origin: the browser itself saves it. */
export function exportUrl(
  id: keyof typeof EXPORTS,
  { params, query }: { params: Record<string, string>; query: Record<string, string | undefined> },
): string {
  const path = EXPORTS[id].replaceAll(/\{(\w+)\}/g, (_match, key: string) =>
    encodeURIComponent(params[key] ?? ''),
  );
  const given = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]));
  return `${path}?${new URLSearchParams(given).toString()}`;
}

type UploadFields = Omit<Parameters<Client['batches']['createFromFile']>[0], 'file'>;

/** Creates a batch from a file or text. @throws GleanerError */
export async function uploadBatch(fields: UploadFields, inputs: Blob): Promise<unknown> {
  return client.batches.createFromFile({ ...fields, file: { content: inputs, filename: 'inputs.txt' } });
}
