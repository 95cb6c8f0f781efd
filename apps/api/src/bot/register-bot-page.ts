import type { Config } from '@gleaner/core';
import type { FastifyInstance } from 'fastify';
import { buildBotPage } from './bot-page.ts';

/** It runs nothing and loads the icon alone. */
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The public page `/bot`, to which the User-Agent of crawls points. */
export function registerBotPage(
  app: FastifyInstance,
  { botName: name, botContact: contact, publicUrl }: Config,
): void {
  const page = buildBotPage({ name, contact, publicUrl });
  for (const path of ['/bot', '/bot/']) {
    app.get(path, (_request, reply) =>
      reply
        .type('text/html; charset=utf-8')
        .header('content-security-policy', POLICY)
        .header('cache-control', 'public, max-age=3600')
        .send(page),
    );
  }
}
