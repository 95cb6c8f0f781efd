import { AppError } from '@gleaner/contracts';
import type { GuardedFetch } from '@gleaner/fetching/guarded-fetch';
import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from 'jose';
import { z } from 'zod';

const TIMEOUT_MS = 5_000;
/** Keys are read again after this time. */
const KEEP_MS = 10 * 60_000;
/** An unknown key id makes the keys be read again, but not more often than this. */
const COOLDOWN_MS = 30_000;
/** After a failure, the issuer is left alone for this time. */
const PAUSE_MS = 5_000;

const metadataSchema = z.object({ issuer: z.string(), jwks_uri: z.url() });

/** Where an issuer describes itself: by RFC 8414, and as OpenID Connect does. */
function metadataUrls(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  return [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ];
}

async function findJwksUrl(issuer: string, { get }: GuardedFetch, timeoutMs: number): Promise<string> {
  for (const url of metadataUrls(issuer)) {
    const answer = await get(url, AbortSignal.timeout(timeoutMs));
    if (answer.status !== 200) continue;
    const metadata = metadataSchema.safeParse(await answer.json().catch(() => undefined));
    if (metadata.success && metadata.data.issuer === issuer) return metadata.data.jwks_uri;
  }
  throw new Error(`the issuer ${issuer} has no metadata with its own name and jwks_uri`);
}

interface IssuerOptions {
  issuer: string;
  /** GLEANER_OAUTH_JWKS_URL. */
  jwksUrl: string | undefined;
  fetch: GuardedFetch;
  onFault: (error: unknown) => void;
  /** For each document. Default 5 s. */
  timeoutMs?: number;
}

/**
 * The issuer's public keys, by the key id of a token. They are kept for ten minutes, and read again when a token has
 * an id that is not among them, at most every 30 s: the issuer can change its keys, and nobody can make the service
 * ask it with each request.
 * @returns a function that throws AppError temporarily_unavailable while the issuer does not answer
 */
export function createIssuerKeys(options: IssuerOptions): JWTVerifyGetKey {
  const { issuer, jwksUrl, fetch, onFault, timeoutMs = TIMEOUT_MS } = options;
  let keys: Promise<JWTVerifyGetKey> | undefined;
  let failedAt = Number.NEGATIVE_INFINITY;
  const fail = (error: unknown): never => {
    failedAt = performance.now();
    onFault(error);
    throw unavailable();
  };
  const open = async (): Promise<JWTVerifyGetKey> => {
    const url = jwksUrl ?? (await findJwksUrl(issuer, fetch, timeoutMs).catch(fail));
    return createRemoteJWKSet(new URL(url), {
      timeoutDuration: timeoutMs,
      cacheMaxAge: KEEP_MS,
      cooldownDuration: COOLDOWN_MS,
      [customFetch]: async (address, { signal }) => {
        if (performance.now() - failedAt < PAUSE_MS) throw unavailable();
        const answer = await fetch.get(address, signal).catch(fail);
        return answer.status === 200 ? answer : fail(new Error(`${address} answered ${answer.status}`));
      },
    });
  };
  return async (header, token) => {
    if (keys === undefined && performance.now() - failedAt < PAUSE_MS) throw unavailable();
    keys ??= open();
    const opened = await keys.catch((error: unknown) => {
      keys = undefined;
      throw error;
    });
    return opened(header, token);
  };
}

function unavailable(): AppError {
  return new AppError('temporarily_unavailable', {
    detail: 'the keys of the OAuth issuer could not be read',
    hint: 'Try again later, or use an API key.',
  });
}
