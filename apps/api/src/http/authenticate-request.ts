import { AppError, type Operation } from '@gleaner/contracts';
import { findAccountSession, isOperator, type Actor } from '@gleaner/core';
import type { FastifyRequest } from 'fastify';
import type { ApiServices } from '../services.ts';
import { readApiKey } from './api-key.ts';
import { requireOwnPage } from './same-origin.ts';
import { readSessionCookie } from './session-cookie.ts';

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
    throw new AppError('unauthorized', { detail: 'nobody is signed in', hint: 'Sign in to the dashboard.' });
  const actor = await keys.authenticate(key);
  if (isForSessions)
    throw new AppError('not_allowed', {
      detail: 'an API key may not do this, only a session of the dashboard',
    });
  return actor;
}
