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

export interface SpanEnd {
  attributes?: Readonly<Record<string, string | number>>;
  /** Why the work failed; absent when it succeeded. */
  error?: string;
}

/** A piece of work that is under way. */
export interface WorkSpan {
  readonly context: TraceContext;
  /** `traceparent` for work that this one asks for; undefined when nobody follows the trace. */
  readonly passedOn: string | undefined;
  end(how: SpanEnd): void;
}

export interface Tracer {
  start(name: string, input: { parent: TraceContext | undefined; kind: 'server' | 'consumer' }): WorkSpan;
  /** Sends what is left. */
  close(): Promise<void>;
}

/** Spans that are not sent have ids all the same, for the log and for the work that they ask for. */
const SILENT: Tracer = {
  start: (_name, { parent }) => {
    const context = newTraceContext(parent);
    const passedOn = parent === undefined ? undefined : writeTraceparent(context);
    return { context, passedOn, end: () => undefined };
  },
  close: async () => undefined,
};

export interface TracerOptions {
  /** URL of an OTLP collector, such as `http://collector:4318`. Absent: spans are not sent and nothing is loaded. */
  endpoint: string | undefined;
  /** Like `gleaner-api`. */
  service: string;
}

/** Sends spans by OpenTelemetry's SDK (OTLP over HTTP), in batches and without delaying the work. */
export async function openTracer({ endpoint, service }: TracerOptions): Promise<Tracer> {
  if (endpoint === undefined) return SILENT;
  const [
    { SpanKind, SpanStatusCode, ROOT_CONTEXT, trace },
    sdk,
    { resourceFromAttributes },
    { OTLPTraceExporter },
  ] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/exporter-trace-otlp-http'),
  ]);
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` });
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({ 'service.name': service }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter })],
    sampler: new sdk.ParentBasedSampler({ root: new sdk.AlwaysOnSampler() }),
  });
  const tracer = provider.getTracer('gleaner');
  const kinds = { server: SpanKind.SERVER, consumer: SpanKind.CONSUMER };
  return {
    start: (name, { parent, kind }) => {
      const traceFlags = parent?.isSampled === true ? 1 : 0;
      const remote = parent && { traceId: parent.traceId, spanId: parent.spanId, traceFlags, isRemote: true };
      const within = remote === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, remote);
      const span = tracer.startSpan(name, { kind: kinds[kind] }, within);
      const { traceId, spanId, traceFlags: flags } = span.spanContext();
      const context = { traceId, spanId, isSampled: (flags & 1) === 1 };
      return {
        context,
        passedOn: writeTraceparent(context),
        end: ({ attributes = {}, error }) => {
          span.setAttributes(attributes);
          if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: error });
          span.end();
        },
      };
    },
    close: () => provider.shutdown(),
  };
}
