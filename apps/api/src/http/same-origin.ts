import { AppError } from '@gleaner/contracts';
import type { FastifyRequest } from 'fastify';

/** Pages of other sites can't set this header without a preflight request, which is rejected. */
const OWN_HEADER = 'x-gleaner-dashboard';

function refuse(detail: string): AppError {
  return new AppError('unauthorized', {
    detail,
    hint: 'A session only works for the dashboard itself. Programs send an API key in the X-API-Key header.',
  });
}

/** Whether the browser's headers, if present, name a page of this origin. */
function comesFromHere({ headers, host, protocol }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  return headers.origin === undefined || headers.origin === `${protocol}://${host}`;
}

/**
 * Rejects requests with a session cookie from pages of other sites.
 * @param isDownload a link that saves a file can't send headers, so the browser's own headers must suffice
 * @throws AppError unauthorized
 */
export function requireOwnPage(request: FastifyRequest, { isDownload = false } = {}): void {
  if (!comesFromHere(request)) throw refuse('the request comes from a page of another origin');
  if (request.headers[OWN_HEADER] === '1') return;
  const { 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': dest } = request.headers;
  const isLink = site === 'same-origin' && mode === 'navigate' && (dest === 'document' || dest === 'empty');
  if (!(isDownload && isLink)) throw refuse(`the request has no ${OWN_HEADER} header`);
}
