import { AppError } from '@gleaner/contracts';
import { findSubjectActor, type Actor } from '@gleaner/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readBearer } from '../http/api-key.ts';
import type { ApiServices } from '../services.ts';
import { createIssuerKeys } from './oauth/issuer-keys.ts';
import { verifyToken, type VerifiedToken } from './oauth/token-verifier.ts';
import type { Tool } from './tools.ts';

const READ_SCOPE = 'gleaner:read';
const WRITE_SCOPE = 'gleaner:write';

interface ProtectedResource {
  issuer: string;
  /** The address of `/mcp` that clients use. */
  audience: string;
  /** The address of the metadata of RFC 9728. */
  metadataUrl: string;
}

/** A value of `WWW-Authenticate` (RFC 6750, RFC 9728) that says where to get a token, and with what scopes. */
function challenge(
  { metadataUrl }: ProtectedResource,
  scopes: readonly string[],
  error?: 'invalid_token' | 'insufficient_scope',
): string {
  const parameters = [
    ...(error === undefined ? [] : [['error', error]]),
    ['scope', scopes.join(' ')],
    ['resource_metadata', metadataUrl],
  ];
  return `Bearer ${parameters.map(([name, value]) => `${name}="${value}"`).join(', ')}`;
}

/** Serves the metadata of RFC 9728, for everybody, at the path that belongs to the audience and at the root. */
function registerProtectedResource(
  app: FastifyInstance,
  { issuer, audience, metadataUrl }: ProtectedResource,
): void {
  const root = '/.well-known/oauth-protected-resource';
  const ours = new URL(metadataUrl).pathname;
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

/** The sender of a request. A key may everything, a token what its scopes say. */
export interface McpSender {
  actor: Actor;
  scopes?: ReadonlySet<string>;
}

type Verify = (token: string) => Promise<VerifiedToken>;

const KEY_PREFIX = 'gln_';

/** The key or token in `Authorization: Bearer` or in `X-API-Key`; never one in the URL. */
function readCredential({ headers }: FastifyRequest): { key?: string; token?: string } {
  const bearer = readBearer(headers);
  if (bearer !== undefined) return bearer.startsWith(KEY_PREFIX) ? { key: bearer } : { token: bearer };
  const key = headers['x-api-key'];
  return typeof key === 'string' ? { key } : {};
}

/** The names of the tools that a body calls: clients of 2025-03-26 send several messages as a list. */
function callsOf(body: unknown): unknown[] {
  const messages: unknown[] = Array.isArray(body) ? body : [body];
  return messages.flatMap((message) => {
    if (typeof message !== 'object' || message === null) return [];
    const { method, params } = message as { method?: unknown; params?: { name?: unknown } | null };
    return method === 'tools/call' ? [params?.name] : [];
  });
}

/**
 * Without an issuer in the configuration, keys alone open `/mcp`, and there is nothing about OAuth: no library that it
 * needs is loaded.
 */
async function openOauth(
  app: FastifyInstance,
  { config, log }: ApiServices,
): Promise<{ resource: ProtectedResource; verify: Verify } | undefined> {
  const { oauthIssuer: issuer, oauthAudience: audience, oauthJwksUrl: jwksUrl } = config;
  if (issuer === undefined || audience === undefined) return undefined;
  const [{ createGuardedFetch }, { getOAuthProtectedResourceMetadataUrl }] = await Promise.all([
    import('@gleaner/fetching/guarded-fetch'),
    import('@modelcontextprotocol/server'),
  ]);
  const fetch = createGuardedFetch(config.egressAllow, jwksUrl === undefined ? [issuer] : [issuer, jwksUrl]);
  app.addHook('onClose', () => fetch.close());
  const keys = createIssuerKeys({
    issuer,
    jwksUrl,
    fetch,
    onFault: (error) => log.warn({ err: error, issuer }, 'the keys of the OAuth issuer could not be read'),
  });
  const metadataUrl = getOAuthProtectedResourceMetadataUrl(new URL(audience));
  const resource = { issuer, audience, metadataUrl };
  registerProtectedResource(app, resource);
  const rules = { issuer, audience, algorithms: config.oauthAlgorithms };
  return { resource, verify: (token) => verifyToken(token, keys, rules) };
}

/** Authenticates requests of `/mcp` by API keys and, when an issuer is configured, by OAuth access tokens. */
export async function createMcpAuthentication(app: FastifyInstance, services: ApiServices) {
  const { db, keys } = services;
  const oauth = await openOauth(app, services);

  const refuse = (reply: FastifyReply, hasToken: boolean): void => {
    const fault = hasToken ? 'invalid_token' : undefined;
    const value = oauth ? challenge(oauth.resource, [READ_SCOPE, WRITE_SCOPE], fault) : 'Bearer';
    reply.header('www-authenticate', value);
  };
  const requireScope = (sender: McpSender, scope: string, reply: FastifyReply): void => {
    if (!oauth || sender.scopes === undefined || sender.scopes.has(scope)) return;
    const scopes = scope === READ_SCOPE ? [READ_SCOPE] : [READ_SCOPE, WRITE_SCOPE];
    reply.header('www-authenticate', challenge(oauth.resource, scopes, 'insufficient_scope'));
    throw new AppError('insufficient_scope', { detail: `the token has no scope ${scope}` });
  };
  const verifySender = async ({ resource, verify }: NonNullable<typeof oauth>, token: string) => {
    const { subject, scopes } = await verify(token);
    return { actor: await findSubjectActor(db, { issuer: resource.issuer, subject }), scopes };
  };

  return {
    /** @throws AppError unauthorized, invalid_token, unlinked_subject, insufficient_scope, temporarily_unavailable */
    authenticate: async (request: FastifyRequest, reply: FastifyReply): Promise<McpSender> => {
      const { key, token } = readCredential(request);
      try {
        if (token === undefined || !oauth) return { actor: await keys.authenticate(key ?? token) };
        const sender = await verifySender(oauth, token);
        requireScope(sender, READ_SCOPE, reply);
        return sender;
      } catch (error) {
        if (error instanceof AppError && error.status === 401) refuse(reply, token !== undefined);
        throw error;
      }
    },
    /** Checks the scopes for the tools that a body calls. @throws AppError insufficient_scope */
    requireScopes: (
      sender: McpSender,
      { body }: FastifyRequest,
      reply: FastifyReply,
      tools: ReadonlyMap<string, Tool>,
    ): void => {
      const writes = (name: unknown): boolean =>
        tools.get(String(name))?.describe().annotations.readOnlyHint === false;
      if (callsOf(body).some(writes)) requireScope(sender, WRITE_SCOPE, reply);
    },
  };
}
