import { createCall, toAnswer, type Answer, type Call } from './call.ts';
import { startDeadline } from './deadline.ts';
import { toDownload } from './download.ts';
import { shorten, unexpected } from './errors.ts';
import type { Methods, Operations } from './generated/operations.ts';
import { createListing } from './listing.ts';
import type { Parts } from './multipart.ts';
import type { CreateOptions, Route, Routes } from './route.ts';
import { readEvents, type ServerEvent } from './server-events.ts';
import { toFailure, type RequestParts, type Send } from './transport.ts';
import { idOf, waitForEnd, type WaitOptions } from './wait-for.ts';

type Argument = string | number | object | undefined;

interface ReadArguments {
  request: RequestParts;
  options: CreateOptions;
}

// The route defines the same order of arguments as the generated types.
function asObject(argument: Argument): object | undefined {
  if (argument === undefined || typeof argument === 'object') return argument;
  throw new TypeError(`expected an object instead of ${JSON.stringify(argument)}`);
}
function asParam(argument: Argument): string | number {
  if (typeof argument === 'string' || typeof argument === 'number') return argument;
  throw new TypeError('expected an id');
}

/** The arguments `(…params, body or parts, query, options)`, without those that the route lacks. */
function readArguments(route: Route, args: readonly Argument[]): ReadArguments {
  const rest = [...args];
  const params = rest.splice(0, route.path.split('{').length - 1).map(asParam);
  const body = route.takes === undefined ? undefined : asObject(rest.shift());
  const query = route.hasQuery === true ? asObject(rest.shift()) : undefined;
  return {
    request: { params, query, ...(route.takes === 'parts' ? { parts: body as Parts } : { body }) },
    options: asObject(rest.shift()) ?? {},
  };
}

async function readJson(response: Response): Promise<Answer<unknown>> {
  const text = await response.text();
  try {
    return toAnswer(response, JSON.parse(text) as unknown);
  } catch (cause) {
    throw unexpected(response, `the response is not JSON: ${shorten(text, 100)}`, cause);
  }
}

async function readEmpty(response: Response): Promise<Answer<unknown>> {
  if (response.status === 204) return toAnswer(response, undefined);
  throw unexpected(response, `the response is not empty: ${shorten(await response.text(), 100)}`);
}

/** A server that is not the service may answer anything with its page: that is no export. */
async function readStream(response: Response): Promise<Answer<unknown>> {
  if (!/^text\/html\b/i.test(response.headers.get('content-type') ?? ''))
    return toAnswer(response, toDownload(response));
  throw unexpected(response, `the response is a page: ${shorten(await response.text(), 100)}`);
}

/** How the response of each kind of answer is read. */
const READERS = { json: readJson, empty: readEmpty, stream: readStream };

async function* openEvents(
  send: Send,
  route: Route,
  { request, options }: ReadArguments,
): AsyncGenerator<ServerEvent<unknown>, void, undefined> {
  const link = startDeadline(undefined, options.signal);
  try {
    yield* readEvents(
      await send(route, request, { ...options, signal: link.signal }, async (opened) => opened),
    );
  } catch (error) {
    throw toFailure(error, false, options.signal);
  } finally {
    link.abort();
    link.close();
  }
}

function buildMethod(send: Send, route: Route): (...args: Argument[]) => unknown {
  switch (route.answer) {
    case 'json':
    case 'empty':
    case 'stream': {
      const reader = READERS[route.answer];
      return (...args) => {
        const { request, options } = readArguments(route, args);
        return createCall(send(route, request, options, reader));
      };
    }
    case 'list':
      return (...args) => {
        const { request, options } = readArguments(route, args);
        const read = (cursor?: string): Promise<Answer<unknown>> => {
          const query = cursor === undefined ? request.query : { ...request.query, cursor };
          return send(route, { ...request, query }, options, readJson);
        };
        return createListing(read, route.list ?? '', options.signal);
      };
    case 'events':
      return (...args) => openEvents(send, route, readArguments(route, args));
    case 'wait':
      return (record, options) => buildWait(send, route, record, asObject(options) ?? {});
  }
}

function buildWait(
  send: Send,
  route: Route,
  record: Argument,
  options: WaitOptions<unknown>,
): Promise<unknown> {
  const request = { params: [idOf(record as string | { id: string })] };
  const { signal } = options;
  const { events: path } = route;
  const watch = (events: Route, lastEventId: string | undefined): AsyncIterable<ServerEvent<unknown>> => {
    const headers = lastEventId === undefined ? undefined : { 'last-event-id': lastEventId };
    // The wait continues after a failure.
    return openEvents(send, events, { request, options: { signal, retries: 0, headers } });
  };
  return waitForEnd(
    {
      read: async () => (await send({ ...route, answer: 'json' }, request, { signal }, readJson)).data,
      watch: path === undefined ? undefined : (id) => watch({ method: 'GET', path, answer: 'events' }, id),
    },
    options,
  );
}

/** The methods of all routes. */
export function buildMethods(routes: Routes, send: Send): Methods {
  const groups = Object.entries(routes).map(([group, members]) => {
    const methods = Object.entries(members).map(([name, route]) => [name, buildMethod(send, route)]);
    return [group, Object.fromEntries(methods)];
  });
  // The same generator writes the types and the routes.
  return Object.fromEntries(groups) as Methods;
}

/** Calls an operation by its id. Methods do the same with arguments in order; `call` suits code that is generic. */
export type CallOperation = <I extends keyof Operations>(
  id: I,
  input: Operations[I]['input'],
  options?: CreateOptions,
) => Call<Operations[I]['answer']>;

interface OperationInput {
  params?: Readonly<Record<string, string | number>>;
  query?: object;
  body?: unknown;
}

/** @returns `client.call`, which throws TypeError for an id that is in no route */
export function buildCall(routes: Routes, send: Send): CallOperation {
  const all = Object.values(routes).flatMap((members) => Object.values(members));
  const byId = new Map(all.filter(({ takes }) => takes !== 'parts').map((route) => [route.id, route]));
  return (id, input: OperationInput, options = {}) => {
    const route = byId.get(id);
    if (!route) throw new TypeError(`there is no operation ${id}`);
    const { params = {}, query, body } = input;
    const values = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => params[name] ?? '');
    const read = route.answer === 'empty' || route.answer === 'stream' ? READERS[route.answer] : readJson;
    return createCall(send(route, { params: values, query, body }, options, read)) as Call<never>;
  };
}
