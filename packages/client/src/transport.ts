import { GleanerError, readError } from './errors.ts';
import { startDeadline } from './deadline.ts';
import { createUpload, isRepeatable, type Parts } from './multipart.ts';
import { VERSION } from './contracts.ts';
import { pause } from './pause.ts';
import { retryDelay } from './retry.ts';
import type { CreateOptions, Route } from './route.ts';

export interface TransportOptions {
  /** Address of the service; empty in a page that the service itself serves. */
  baseUrl: string;
  /** When absent, the browser's credentials for this origin are used, such as a session cookie. */
  apiKey?: string | undefined;
  /** Sends the requests. Default: the runtime's fetch. */
  fetch?: typeof globalThis.fetch | undefined;
  /** Further attempts after a temporary failure. Default 2. */
  retries?: number | undefined;
  /** Time limit of one attempt. Default 150 s, because a scrape can take 120 s. Uploads have none by default. */
  timeoutMs?: number | undefined;
  /** Called before the wait for a further attempt, with the failure of the last one. */
  onWait?: ((error: GleanerError, delayMs: number) => void) | undefined;
  /** Sent with every request. */
  headers?: Readonly<Record<string, string>> | undefined;
}

export interface RequestParts {
  readonly params: readonly (string | number)[];
  readonly query?: object | undefined;
  readonly body?: unknown;
  readonly parts?: Parts | undefined;
}

/** Sends a request and returns its response after `read` has read the body, all within the time limit. */
export type Send = <T>(
  route: Route,
  request: RequestParts,
  options: CreateOptions,
  read: (response: Response) => Promise<T>,
) => Promise<T>;

const DEFAULT_TIMEOUT_MS = 150_000;
const DEFAULT_RETRIES = 2;

/** A browser names itself. */
const USER_AGENT: Readonly<Record<string, string>> =
  'process' in globalThis ? { 'user-agent': `gleaner-client/${VERSION}` } : {};

function buildPath(path: string, params: readonly (string | number)[]): string {
  let index = 0;
  return path.replaceAll(/\{\w+\}/g, (name) => {
    const value = params[index++];
    // An empty parameter would give another address: `/v1/parsers/` instead of one parser.
    if (value === undefined || value === '')
      throw new TypeError(`the argument for ${name} in ${path} is missing`);
    return encodeURIComponent(value).replaceAll(/^\.{1,2}$/g, (dots) => dots.replaceAll('.', '%2E'));
  });
}

function buildQuery(query: object | undefined): string {
  const pairs = Object.entries(query ?? {})
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]: [string, unknown]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]);
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`;
}

/** The error for a request without a response. The caller's own abort stays unchanged. */
export function toFailure(error: unknown, isLate: boolean, caller: AbortSignal | undefined): unknown {
  if (error instanceof GleanerError) return error;
  if (caller?.aborted === true) return caller.reason;
  if (isLate)
    return new GleanerError({
      status: 0,
      code: 'timed out',
      detail: 'the call exceeded its time limit',
      cause: error,
    });
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
  const detail = `${error instanceof Error ? error.message : String(error)}${cause}`;
  return new GleanerError({ status: 0, code: 'no answer', detail, cause: error });
}

/** The scheme of an address, with its colon; empty for what is none. `URL.parse` is newer than the oldest runtimes. */
function schemeOf(address: string, base: string | undefined): string {
  try {
    return new URL(address, base).protocol;
  } catch {
    return '';
  }
}

/** @throws TypeError for an address to which no request can be sent */
function readBase({ baseUrl, fetch }: TransportOptions): string {
  const given: unknown = baseUrl;
  const { location }: { location?: { href?: string } } = globalThis;
  if (given === '' && (location !== undefined || fetch !== undefined)) return given;
  if (typeof given !== 'string' || given === '' || !/^https?:$/.test(schemeOf(given, location?.href)))
    throw new TypeError(
      `baseUrl must be the address of the service, such as http://127.0.0.1:3000, not ${JSON.stringify(given)}`,
    );
  return baseUrl.replace(/\/+$/, '');
}

/** @throws TypeError when `baseUrl` is no address */
export function createTransport(settings: TransportOptions): Send {
  const base = readBase(settings);
  const send = settings.fetch ?? globalThis.fetch.bind(globalThis);

  const attempt = async <T>(
    route: Route,
    url: string,
    request: RequestParts,
    options: CreateOptions & { headers: Record<string, string> },
    read: (response: Response) => Promise<T>,
  ): Promise<T> => {
    const upload = request.parts && (await createUpload(request.parts));
    const fallback = upload ? undefined : (settings.timeoutMs ?? DEFAULT_TIMEOUT_MS);
    const deadline = startDeadline(options.timeoutMs ?? fallback, options.signal);
    const isStream = route.answer === 'stream' || route.answer === 'events';
    try {
      const contentType =
        upload?.contentType ?? (request.body === undefined ? undefined : 'application/json');
      const body = upload?.body ?? (request.body === undefined ? undefined : JSON.stringify(request.body));
      const init: RequestInit & { duplex?: 'half' } = {
        method: route.method,
        headers: {
          ...options.headers,
          ...(contentType === undefined ? {} : { 'content-type': contentType }),
        },
        signal: deadline.signal,
        // Whoever is redirected to would get the key: fetch sends such headers to other origins too.
        redirect: 'manual',
        ...(body === undefined ? {} : { body }),
        ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
      };
      const response = await send(url, init);
      if (!response.ok) throw await readError(response);
      if (isStream) deadline.lift();
      return await read(response);
    } catch (error) {
      deadline.close();
      const fault = upload?.fault();
      if (fault && options.signal?.aborted !== true) throw fault.thrown;
      throw toFailure(error, deadline.hasPassed(), options.signal);
    } finally {
      if (!isStream) deadline.close();
    }
  };

  return async (route, request, options, read) => {
    const url = `${base}${buildPath(route.path, request.params)}${buildQuery(request.query)}`;
    const headers = {
      ...USER_AGENT,
      ...settings.headers,
      ...(settings.apiKey === undefined ? {} : { 'x-api-key': settings.apiKey }),
      // The same for all attempts of the call.
      ...(route.creates === true ? { 'idempotency-key': options.idempotencyKey ?? crypto.randomUUID() } : {}),
      ...options.headers,
    };
    const isOnce = request.parts !== undefined && !isRepeatable(request.parts);
    const retries = isOnce ? 0 : (options.retries ?? settings.retries ?? DEFAULT_RETRIES);
    for (let number = 0; ; number += 1) {
      try {
        return await attempt(route, url, request, { ...options, headers }, read);
      } catch (error) {
        if (!(error instanceof GleanerError) || number >= retries) throw error;
        const delay = retryDelay(route, error, number);
        if (delay === undefined) throw error;
        settings.onWait?.(error, delay);
        await pause(delay, options.signal);
      }
    }
  };
}
