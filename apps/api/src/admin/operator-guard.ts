import { createHash, timingSafeEqual } from 'node:crypto';
import { AppError } from '@gleaner/contracts';
import type { RateLimiter } from '@gleaner/core';
import type { FastifyInstance } from 'fastify';
import { sendError } from '../http/send-error.ts';

const USER = 'operator';
/** Guesses of the password that one address has a minute. */
const GUESSES_PER_MINUTE = 30;

/** Everything comes from here: the board works offline, and its link to a font elsewhere is not followed. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "img-src 'self' data:",
  // The board sets styles of elements.
  "style-src 'self' 'unsafe-inline'",
  "object-src 'none'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** `user:password` of an Authorization header; undefined when it has none. */
function readCredentials(header: string | undefined): string | undefined {
  const [, encoded] = /^basic +(\S+)$/i.exec(header ?? '') ?? [];
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('utf8');
}

/**
 * Lets only the operator into a scope. Each guess counts before it is compared, and the right one is taken off again:
 * who is over the limit learns nothing, and who knows the password has no limit.
 */
export function guardOperator(
  scope: FastifyInstance,
  { password, rateLimiter }: { password: string; rateLimiter: RateLimiter },
): void {
  const expected = digest(`${USER}:${password}`);
  // The board's plugin answers errors in its own way, so the refusal is sent here.
  scope.addHook('onRequest', async (request, reply) => {
    reply.header('content-security-policy', CONTENT_SECURITY_POLICY);
    const given = readCredentials(request.headers.authorization);
    if (given !== undefined) {
      const key = `operator:${request.ip}`;
      try {
        await rateLimiter.consume(key, GUESSES_PER_MINUTE);
      } catch (error) {
        return sendError(request, reply, error);
      }
      if (timingSafeEqual(digest(given), expected)) {
        await rateLimiter.restore(key, GUESSES_PER_MINUTE);
        return undefined;
      }
    }
    reply.header('www-authenticate', 'Basic realm="Gleaner operator", charset="UTF-8"');
    return sendError(
      request,
      reply,
      new AppError('unauthorized', {
        detail: 'the operator’s user and password are asked for',
        hint: 'The password is in credentials.json of the data folder.',
      }),
    );
  });
}
