import { AppError } from '@gleaner/contracts';
import { clientNetwork, FILES_PATH, openFileStore } from '@gleaner/core';
import type { FastifyInstance } from 'fastify';
import type { ApiServices } from '../services.ts';

/** Forbids everything to a picture or PDF of a foreign page. */
const FILE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/** Serves screenshots and PDFs to anyone who knows their address. Limited per IP. */
export function registerFiles(app: FastifyInstance, services: ApiServices): void {
  const { files } = openFileStore(services);
  const { rateLimiter, config } = services;
  app.get<{ Params: { id: string } }>(`${FILES_PATH}/:id`, async (request, reply) => {
    await rateLimiter.consume(`files:${clientNetwork(request.ip)}`, config.publicRequestsPerMinute);
    const file = await files.read(request.params.id);
    if (file === undefined) {
      throw new AppError('not_found', { detail: 'the file does not exist or has expired' });
    }
    return reply
      .type(file.contentType)
      .header('cache-control', 'private, max-age=3600, immutable')
      .header('content-security-policy', FILE_POLICY)
      .send(file.bytes);
  });
}
