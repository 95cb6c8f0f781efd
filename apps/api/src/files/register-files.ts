import { AppError } from '@gleaner/contracts';
import { FILES_PATH, openFileStore } from '@gleaner/core';
import type { FastifyInstance } from 'fastify';
import type { ApiServices } from '../services.ts';

/** What a picture or a PDF of a foreign page may do here: nothing. */
const FILE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/** Screenshots and PDFs, for whoever knows their address. Limited per IP. */
export function registerFiles(app: FastifyInstance, services: ApiServices): void {
  const { files } = openFileStore(services);
  const { rateLimiter, config } = services;
  app.get<{ Params: { id: string } }>(`${FILES_PATH}/:id`, async (request, reply) => {
    await rateLimiter.consume(`files:${request.ip}`, config.publicRequestsPerMinute);
    const file = await files.read(request.params.id);
    if (file === undefined) {
      throw new AppError('not_found', { detail: 'there is no such file, or it has expired' });
    }
    return reply
      .type(file.contentType)
      .header('cache-control', 'private, max-age=3600, immutable')
      .header('content-security-policy', FILE_POLICY)
      .send(file.bytes);
  });
}
