import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openTracer, newTraceContext, readTraceparent, writeTraceparent } from './tracer.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

it('reads what it writes, and ignores everything else', () => {
  fc.assert(
    fc.property(fc.boolean(), (isSampled) => {
      const context = { ...newTraceContext(undefined), isSampled };
      expect(readTraceparent(writeTraceparent(context))).toEqual(context);
      expect(newTraceContext(context)).toMatchObject({ traceId: context.traceId, isSampled });
    }),
  );
  fc.assert(fc.property(fc.string(), (header) => readTraceparent(header) === undefined));
  const nothing = [`00-${'0'.repeat(32)}-${SPAN}-01`, `ff-${TRACE}-${SPAN}-01`, `00-${TRACE}-${SPAN}`];
  for (const header of nothing) expect(readTraceparent(header), header).toBeUndefined();
  expect(readTraceparent(`cc-${TRACE}-${SPAN}-01-later`)).toMatchObject({ traceId: TRACE, spanId: SPAN });
});

it('sends spans to a collector, within the trace of the caller', async () => {
  const bodies: string[] = [];
  const collector = createServer(async (request, response) => {
    bodies.push(await text(request));
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  }).listen(0, '127.0.0.1');
  await once(collector, 'listening');
  const address = collector.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const tracer = await openTracer({ endpoint: `http://127.0.0.1:${port}/`, service: 'gleaner-test' });
  const parent = { traceId: TRACE, spanId: SPAN, isSampled: true };
  const span = tracer.start('POST /v1/parse', { parent, kind: 'server' });
  expect(span.context).toMatchObject({ traceId: TRACE, isSampled: true });
  span.end({ attributes: { 'http.response.status_code': 500 }, error: 'internal' });
  await tracer.close();
  collector.close();
  const { resourceSpans } = JSON.parse(bodies.join('')) as {
    resourceSpans: { resource: unknown; scopeSpans: { spans: unknown[] }[] }[];
  };
  expect(JSON.stringify(resourceSpans[0]?.resource)).toContain('gleaner-test');
  expect(resourceSpans[0]?.scopeSpans[0]?.spans).toMatchObject([
    { name: 'POST /v1/parse', traceId: TRACE, parentSpanId: SPAN, spanId: span.context.spanId, kind: 2 },
  ]);
});

it('gives ids without a collector', async () => {
  const tracer = await openTracer({ endpoint: undefined, service: 'gleaner-test' });
  const { context } = tracer.start('x', { parent: undefined, kind: 'server' });
  expect(readTraceparent(writeTraceparent(context))).toEqual(context);
});
