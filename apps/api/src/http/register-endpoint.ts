import { AppError, isForPrograms, type Operation } from '@gleaner/contracts';
import {
  clientNetwork,
  openCall,
  type Call,
  type Caller,
  type OperationEntry,
  type WorkSpan,
  type ReservedBytes,
} from '@gleaner/core';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { ApiServices } from '../services.ts';
import { authenticateRequest } from './authenticate-request.ts';
import { clientSignal, endWithAnswer } from './client-signal.ts';
import { readInput, refuseCompressed } from './read-input.ts';
import { sendAnswer } from './send-answer.ts';
import { DEFAULT_BODY_LIMIT_BYTES, setRateLimitHeaders } from './send-error.ts';
import { browserOf } from './session-cookie.ts';

/**
 * Records and lists are compressed in the thread pool. Results are sent as they are: programs read them in masses, and exports have a
 * compression of their own.
 */
const COMPRESSION = {
  encodings: ['gzip'],
  threshold: 1_024,
  zlibOptions: { level: 4 },
} satisfies RouteOptions['compress'];

/** Makes the HTTP endpoint of an operation: reads the request, calls the operation, writes its answer. */
export function registerEndpoint(app: FastifyInstance, services: ApiServices, entry: OperationEntry): void {
  const { operation } = entry;
  app.route({
    method: operation.method,
    url: operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    exposeHeadRoute: hasHead(operation),
    ...(operation.answer.kind === 'json' ? { compress: COMPRESSION } : {}),
    bodyLimit: operation.bodyLimitBytes ?? DEFAULT_BODY_LIMIT_BYTES,
    config: {
      operationId: operation.id,
      bodyType: bodyTypeOf(operation),
      ...(operation.bodyValues === undefined ? {} : { bodyValues: operation.bodyValues }),
    },
    // This happens before the body is read, so a refused caller costs nothing more.
    onRequest: async (request, reply) => {
      if (!isForPrograms(operation)) reply.header('cache-control', 'no-store');
      const call = await openCall(services, entry, callerOf(services, operation, request, reply));
      request.call = call;
      endWithAnswer(call, reply);
      setRateLimitHeaders(reply, call.rateLimit);
      refuseCompressed(operation, request);
    },
    handler: async (request, reply) => {
      const { call } = request;
      if (!call) throw new AppError('internal');
      return sendAnswer(operation, await call.run(readInput(operation, request)), reply, call.signal);
    },
  });
}

function callerOf(
  services: ApiServices,
  operation: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
): Caller {
  return {
    address: clientNetwork(request.ip),
    authenticate: async () => {
      const actor = await authenticateRequest(services, operation, request);
      request.accountId = actor?.accountId ?? null;
      return actor;
    },
    requestId: request.id,
    trace: request.span?.passedOn,
    signal: clientSignal(reply),
    browser: browserOf(request, reply),
  };
}

/** The media types of an operation's body, for error texts. */
function bodyTypeOf({ body, upload }: Operation): string {
  if (upload === undefined) return 'application/json';
  return body === undefined ? 'multipart/form-data' : 'application/json or multipart/form-data';
}

/** HEAD is disabled: it would do and charge all the work, or read a whole stream, and return nothing. */
export function hasHead({ credits, answer }: Operation): boolean {
  return credits === undefined && answer.kind !== 'stream' && answer.kind !== 'events';
}

declare module 'fastify' {
  interface FastifyRequest {
    /** For the log; null until the caller is authenticated. */
    accountId: string | null;
    /** What its body takes of this process's memory. */
    reservedBytes: ReservedBytes | null;
    call: Call | null;
    /** The request's place in its trace; null for probes. */
    span: WorkSpan | null;
  }
  interface FastifyContextConfig {
    operationId?: string;
    bodyType?: string;
    /** See `Operation.bodyValues`. */
    bodyValues?: number;
    /** Probes are not logged. */
    isQuiet?: boolean;
  }
}
