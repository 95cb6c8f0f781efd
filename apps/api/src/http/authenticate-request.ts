import { AppError, type Operation } from '@gleaner/contracts';
import { findAccountSession, isOperator, type Actor } from '@gleaner/core';
import type { FastifyRequest } from 'fastify';
import type { ApiServices } from '../services.ts';
import { readApiKey } from './api-key.ts';
import { readSessionCookie } from './session-cookie.ts';

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
function requireOwnPage(request: FastifyRequest, { isDownload = false } = {}): void {
  if (!comesFromHere(request)) throw refuse('the request comes from a page of another origin');
  if (request.headers[OWN_HEADER] === '1') return;
  const { 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': dest } = request.headers;
  const isLink = site === 'same-origin' && mode === 'navigate' && (dest === 'document' || dest === 'empty');
  if (!(isDownload && isLink)) throw refuse(`the request has no ${OWN_HEADER} header`);
}

/**
 * Checks that the sender of a request may call the operation.
 * @returns the account of its API key, or without a key of its session; undefined for the operator and before sign-in
 * @throws AppError unauthorized, not_allowed
 */
export async function authenticateRequest(
  services: ApiServices,
  operation: Operation,
  request: FastifyRequest,
): Promise<Actor | undefined> {
  const { db, keys } = services;
  const { auth, answer } = operation;
  if (auth === 'page' || auth === 'operator') {
    requireOwnPage(request);
    const readSession = () => readSessionCookie(request, 'operator');
    if (auth === 'operator' && !(await isOperator(services, { readSession })))
      throw new AppError('unauthorized', { detail: 'the operator’s session has ended' });
    return undefined;
  }
  const key = readApiKey(request.headers);
  const session = key === undefined ? readSessionCookie(request, 'account') : undefined;
  if (session !== undefined) {
    requireOwnPage(request, { isDownload: answer.kind === 'stream' });
    return findAccountSession(db, session);
  }
  const isForSessions = auth === 'session';
  if (isForSessions && key === undefined)
    throw new AppError('unauthorized', { detail: 'there is no session', hint: 'Sign in to the dashboard.' });
  const actor = await keys.authenticate(key);
  if (isForSessions)
    throw new AppError('not_allowed', {
      detail: 'an API key may not do this, only a session of the dashboard',
    });
  return actor;
}
