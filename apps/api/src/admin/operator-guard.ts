import { AppError } from '@gleaner/contracts';
import { checkPassword, clientNetwork, isOperatorSession, type RateLimiter } from '@gleaner/core';
import type { Database } from '@gleaner/db';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendError } from '../http/send-error.ts';
import { readSessionCookie } from '../http/session-cookie.ts';

const USER = 'operator';

/** Everything comes from here: the board works offline, and its link to its makers is hidden. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "img-src 'self' data:",
  // The board sets styles of elements.
  "style-src 'self' 'unsafe-inline'",
  "object-src 'none'",
  "base-uri 'self'",
  "form-action 'self'",
  // The dashboard shows the board within its own frame.
  "frame-ancestors 'self'",
].join('; ');

/** `user:password` of an Authorization header; undefined when it has none. */
function readCredentials(header: string | undefined): string | undefined {
  const [, encoded] = /^basic +(\S+)$/i.exec(header ?? '') ?? [];
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('utf8');
}

/** The board only reads. A cookie is enough for requests of this site's own pages; other sites' pages are rejected. */
async function hasSession(request: FastifyRequest, db: Database, password: string): Promise<boolean> {
  const token = readSessionCookie(request, 'operator');
  return token !== undefined && (await isOperatorSession(db, token, password));
}

export interface OperatorChecks {
  password: string;
  rateLimiter: RateLimiter;
  db: Database;
}

/**
 * Accepts a session of the dashboard, or user and password.
 * @throws AppError rate_limit_exceeded: too many guesses
 */
export async function isOperatorRequest(
  request: FastifyRequest,
  { password, rateLimiter, db }: OperatorChecks,
): Promise<boolean> {
  const given = readCredentials(request.headers.authorization);
  if (given === undefined) return hasSession(request, db, password);
  return checkPassword(rateLimiter, clientNetwork(request.ip), { given, expected: `${USER}:${password}` });
}

/** The answer to anybody else. */
export function refuseOperator(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.header('www-authenticate', 'Basic realm="Gleaner operator", charset="UTF-8"');
  return sendError(
    request,
    reply,
    new AppError('unauthorized', {
      detail: 'the operator’s user and password are required',
      hint: 'The password is in credentials.json of the data folder.',
    }),
  );
}

/** Lets only the operator into a scope. */
export function guardOperator(scope: FastifyInstance, checks: OperatorChecks): void {
  // The board's plugin formats errors differently, so the refusal is sent here.
  scope.addHook('onRequest', async (request, reply) => {
    reply.header('content-security-policy', CONTENT_SECURITY_POLICY).header('x-frame-options', 'SAMEORIGIN');
    try {
      if (await isOperatorRequest(request, checks)) return undefined;
    } catch (error) {
      return sendError(request, reply, error);
    }
    return refuseOperator(request, reply);
  });
}
