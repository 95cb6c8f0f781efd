import { newTraceContext, writeTraceparent, type TraceContext } from './traceparent.ts';

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
