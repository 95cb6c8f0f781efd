import type { RateLimitState } from '@gleaner/core';
import type { FastifyReply } from 'fastify';

/** https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/ (draft 10) */
export function setRateLimitHeaders(reply: FastifyReply, state: RateLimitState): void {
  reply.header('ratelimit-policy', `"default";q=${state.limit};w=60`);
  reply.header('ratelimit', `"default";r=${state.remaining};t=${state.resetSeconds}`);
}
