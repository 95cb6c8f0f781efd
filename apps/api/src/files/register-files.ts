import { AppError } from '@gleaner/contracts';
import {
  clientNetwork,
  FILES_PATH,
  openCall,
  openFileStore,
  operationTable,
  readExportLink,
} from '@gleaner/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { clientSignal, endWithAnswer } from '../http/client-signal.ts';
import { sendAnswer } from '../http/send-answer.ts';
import type { ApiServices } from '../services.ts';

/** Forbids everything to a picture or PDF of a foreign page. */
const FILE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

const GONE = new AppError('not_found', { detail: 'the file does not exist or has expired' });

/** Performs the export of a download link in the name of the key that made it. @throws AppError those of the export */
async function sendLinked(
  services: ApiServices,
  { operation: id, actor, params, query }: NonNullable<Awaited<ReturnType<typeof readExportLink>>>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const entry = operationTable.find(({ operation }) => operation.id === id);
  if (entry === undefined) throw GONE;
  const call = await openCall(services, entry, {
    address: clientNetwork(request.ip),
    authenticate: async () => actor,
    requestId: request.id,
    trace: request.span?.passedOn,
    signal: clientSignal(reply),
  });
  endWithAnswer(call, reply);
  reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer');
  return sendAnswer(entry.operation, await call.run({ params, query }), reply, call.signal);
}

/** Serves screenshots, PDFs and exports to anyone who knows their address. Limited per IP. */
export function registerFiles(app: FastifyInstance, services: ApiServices): void {
  const { files } = openFileStore(services);
  const { rateLimiter, config, db } = services;
  app.get<{ Params: { id: string } }>(`${FILES_PATH}/:id`, async (request, reply) => {
    await rateLimiter.consume(`files:${clientNetwork(request.ip)}`, config.publicRequestsPerMinute);
    const { id } = request.params;
    const link = await readExportLink(db, id);
    // Whoever only asks whether it is there costs no export.
    if (link !== undefined)
      return request.method === 'HEAD' ? reply.send() : sendLinked(services, link, request, reply);
    const file = await files.read(id);
    if (file === undefined) throw GONE;
    return reply
      .type(file.contentType)
      .header('cache-control', 'private, max-age=3600, immutable')
      .header('content-security-policy', FILE_POLICY)
      .send(file.bytes);
  });
}
