import type { PhaseClock } from '../phase-clock.ts';

/** One request and its response, without redirects or retries: the interface of every HTTP client here. */
export interface Exchange {
  url: URL;
  method: string;
  headers: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
}

export type HeaderMap = Readonly<Record<string, string | string[] | undefined>>;

/** How much of a body to read, decided when its headers are known. */
export interface BodyLimit {
  maxWireBytes: number;
  /** Whether a longer body is an error or is cut off. */
  onExcess: 'fail' | 'cut';
}

export interface ExchangeOptions {
  deadlineAt: number;
  signal: AbortSignal | undefined;
  maxDecodedBytes: number;
  /** Called with status and headers before the body. May throw to refuse the response. */
  limitBody(status: number, headers: HeaderMap): BodyLimit;
  clock?: PhaseClock | undefined;
}

export interface ExchangeResponse {
  status: number;
  headers: HeaderMap;
  /** The body as it was sent, unless `isDecoded`. */
  body: Uint8Array;
  isDecoded: boolean;
  isCut: boolean;
}

export type Transport = (exchange: Exchange, options: ExchangeOptions) => Promise<ExchangeResponse>;

/** The first value of a header, as text. */
export function headerText(headers: HeaderMap, name: string): string {
  const value = headers[name];
  if (value === undefined) return '';
  return typeof value === 'string' ? value : (value[0] ?? '');
}
