import type { Operation } from '@gleaner/contracts';
import { findAccountSession, type Actor } from '@gleaner/core';
import type { FastifyRequest } from 'fastify';
import type { ApiServices } from '../services.ts';
import { readApiKey } from './api-key.ts';
import { requireOwnPage } from './same-origin.ts';
import { readSessionCookie } from './session-cookie.ts';

/**
 * The sender of a request: the account of its API key, or without a key the account of its session.
 * @throws AppError unauthorized
 */
export async function authenticateRequest(
  { db, keys }: ApiServices,
  operation: Operation,
  request: FastifyRequest,
): Promise<Actor> {
  const key = readApiKey(request.headers);
  const session = key === undefined ? readSessionCookie(request, 'account') : undefined;
  if (session === undefined) return keys.authenticate(key);
  requireOwnPage(request, { isDownload: operation.answer.kind === 'stream' });
  return findAccountSession(db, session);
}
