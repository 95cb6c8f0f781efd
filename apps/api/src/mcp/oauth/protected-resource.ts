import { getOAuthProtectedResourceMetadataUrl } from '@modelcontextprotocol/server';
import type { FastifyInstance } from 'fastify';

export const READ_SCOPE = 'gleaner:read';
export const WRITE_SCOPE = 'gleaner:write';

export interface ProtectedResource {
  issuer: string;
  /** The address of `/mcp` that clients use. */
  audience: string;
}

/** A value of `WWW-Authenticate` (RFC 6750, RFC 9728) that says where to get a token, and with what scopes. */
export function challenge(
  { audience }: ProtectedResource,
  scopes: readonly string[],
  error?: 'invalid_token' | 'insufficient_scope',
): string {
  const parameters = [
    ...(error === undefined ? [] : [['error', error]]),
    ['scope', scopes.join(' ')],
    ['resource_metadata', getOAuthProtectedResourceMetadataUrl(new URL(audience))],
  ];
  return `Bearer ${parameters.map(([name, value]) => `${name}="${value}"`).join(', ')}`;
}

/** Serves the metadata of RFC 9728, for everybody, at the path that belongs to the audience and at the root. */
export function registerProtectedResource(
  app: FastifyInstance,
  { issuer, audience }: ProtectedResource,
): void {
  const root = '/.well-known/oauth-protected-resource';
  const ours = new URL(getOAuthProtectedResourceMetadataUrl(new URL(audience))).pathname;
  for (const url of new Set([root, `${root}/mcp`, ours])) {
    app.get(url, { exposeHeadRoute: false }, (_request, reply) =>
      reply.headers({ 'access-control-allow-origin': '*', 'cache-control': 'public, max-age=3600' }).send({
        resource: audience,
        authorization_servers: [issuer],
        scopes_supported: [READ_SCOPE, WRITE_SCOPE],
        bearer_methods_supported: ['header'],
        resource_name: 'Gleaner',
      }),
    );
  }
}
