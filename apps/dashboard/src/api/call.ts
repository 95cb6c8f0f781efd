import type { Operation } from '@gleaner/contracts';
import type { z } from 'zod';
import { readProblem } from './problem.ts';
import { ROUTES, type CalledName, type OperationOf } from './routes.ts';

type Given<S> = S extends z.ZodType ? z.input<S> : never;
type Part<K extends string, S> = S extends z.ZodType
  ? Record<string, never> extends Given<S>
    ? { [P in K]?: Given<S> }
    : { [P in K]: Given<S> }
  : unknown;

type Member<O, K extends string> = O extends { readonly [P in K]: infer S } ? S : undefined;

/** Path parameters, query and body of an operation, as its schemas take them. */
export type CallInput<N extends CalledName> = Part<'params', Member<OperationOf<N>, 'params'>> &
  Part<'query', Member<OperationOf<N>, 'query'>> &
  Part<'body', Member<OperationOf<N>, 'body'>>;

type Read<O extends Operation> = O['answer'] extends { schema: infer S extends z.ZodType }
  ? z.output<S>
  : undefined;

/** The response of an operation. */
export type CallOutput<N extends CalledName> = Read<OperationOf<N>>;

interface ErasedInput {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
}

/** Sent with every request: a page of another site can't send it. */
export const OWN_HEADERS = { 'x-gleaner-dashboard': '1' };

/** The address of a call, relative to this origin. */
export function urlOf<N extends CalledName>(name: N, input: Pick<CallInput<N>, never> & ErasedInput): string {
  const path = ROUTES[name][1].replaceAll(/\{(\w+)\}/g, (_match, key: string) =>
    encodeURIComponent(String(input.params?.[key])),
  );
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(input.query ?? {})) {
    if (typeof value === 'string' ? value !== '' : typeof value === 'number' || typeof value === 'boolean')
      query.set(key, String(value));
  }
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}

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

/** Fires `signed-out` when an answer reports the end of the session. */
export const signedOut = new EventTarget();

function encode(body: unknown): RequestInit {
  if (body === undefined) return {};
  if (body instanceof FormData) return { body };
  return { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
}

// The server answers by the very schema that the type comes from.
function asOutput<N extends CalledName>(value: unknown): CallOutput<N> {
  return value as CallOutput<N>;
}

/** Calls an operation. @throws Problem */
export async function call<N extends CalledName>(
  name: N,
  input: CallInput<N>,
  { signal }: { signal?: AbortSignal } = {},
): Promise<CallOutput<N>> {
  const erased = input as ErasedInput;
  const response = await send(urlOf(name, erased), {
    method: ROUTES[name][0],
    ...encode(erased.body),
    ...(signal === undefined ? {} : { signal }),
  });
  const text = await response.text();
  return asOutput<N>(text === '' ? undefined : JSON.parse(text));
}

/** Creates a batch from a file or text: the inputs go as a file, after the other fields. @throws Problem */
export async function uploadBatch(fields: Record<string, unknown>, file: Blob): Promise<unknown> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) form.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  form.set('file', file, 'inputs.txt');
  const response = await send('/v1/batches', { method: 'POST', body: form });
  return response.json();
}
