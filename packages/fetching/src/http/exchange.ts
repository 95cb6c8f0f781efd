/** One request and its answer, without redirects, retries or meaning: what every HTTP client here can do. */
export interface Exchange {
  url: URL;
  method: string;
  headers: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
}

export type HeaderMap = Readonly<Record<string, string | string[] | undefined>>;

/** How much of a body is wanted, decided when its headers are known. */
export interface BodyLimit {
  maxWireBytes: number;
  /** What to do with a longer body: fail, or cut it off and be content. */
  onExcess: 'fail' | 'cut';
}

export interface ExchangeOptions {
  deadlineAt: number;
  signal: AbortSignal | undefined;
  idleTimeoutMs: number;
  maxDecodedBytes: number;
  /** Called with status and headers before the body; may throw to refuse it. */
  limitBody(status: number, headers: HeaderMap): BodyLimit;
}

export interface ExchangeResponse {
  status: number;
  headers: HeaderMap;
  /** As sent, unless `isDecoded`. */
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
