import { randomBytes } from 'node:crypto';

/** Where a piece of work belongs: its trace, and the span that asked for it (W3C Trace Context). */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  traceId: string;
  /** 16 hexadecimal digits. */
  spanId: string;
  isSampled: boolean;
}

const FORMAT = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?=$|-)/;

/** Reads a `traceparent` header; undefined for none and for a malformed one, which the specification ignores. */
export function readTraceparent(header: string | string[] | undefined): TraceContext | undefined {
  const [, traceId, spanId, flags] = (typeof header === 'string' ? FORMAT.exec(header) : null) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export function writeTraceparent({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}

/** The context of new work within `parent`, or of a trace of its own. */
export function newTraceContext(parent: TraceContext | undefined): TraceContext {
  const digits = randomBytes(24).toString('hex');
  return {
    traceId: parent?.traceId ?? digits.slice(16),
    spanId: digits.slice(0, 16),
    isSampled: parent?.isSampled ?? false,
  };
}
