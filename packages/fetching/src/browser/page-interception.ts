import type { CDPSession } from 'playwright';
import type { ProxyRoute } from '../egress/guard-proxy.ts';

interface PausedRequest {
  requestId: string;
  resourceType: string;
  request: { url: string; headers: Record<string, string> };
}

export interface InterceptionOptions {
  route: ProxyRoute;
  blockResources: boolean;
  /** Sent to this origin alone, on no other hop of a redirect and to no third party. */
  headers: Readonly<Record<string, string>>;
  origin: string;
}

export interface Interception {
  /**
   * Stops looking at documents, once the first one has been answered: Chromium now and then never resumes the
   * document of an `<embed>` that was paused, and the page would wait for it.
   */
  narrow(): void;
}

const BLOCKED_TYPES = ['Image', 'Media', 'Font'] as const;
/** What a page's own headers are sent with. */
const OWN_TYPES = ['Document', 'XHR', 'Fetch'] as const;

type ResourceType = (typeof BLOCKED_TYPES)[number] | (typeof OWN_TYPES)[number];

function originOf(url: string): string {
  try {
    return new URL(url).origin;
  } catch {
    return '';
  }
}

interface AuthChallenge {
  requestId: string;
  authChallenge: { source?: 'Proxy' | 'Server' };
}

/**
 * Gives the page its way out, leaves out what an extraction never reads, and adds the request's own headers. By CDP
 * and not by Playwright's `route` and `proxy` credentials: those handle every request of the page, one by one, and
 * do not see redirect hops. Chromium remembers the proxy's credentials for the whole context, so that the
 * document's request, always the first, answers for everything that follows.
 */
export async function interceptRequests(
  client: CDPSession,
  options: InterceptionOptions,
): Promise<Interception> {
  const own = Object.entries(options.headers);
  const answered = new Set<string>();

  client.on('Fetch.authRequired', ({ requestId, authChallenge }: AuthChallenge) => {
    const isFirst = authChallenge.source === 'Proxy' && !answered.has(requestId);
    answered.add(requestId);
    const { username, password } = options.route;
    client
      .send('Fetch.continueWithAuth', {
        requestId,
        authChallengeResponse: isFirst
          ? { response: 'ProvideCredentials', username, password }
          : { response: authChallenge.source === 'Proxy' ? 'CancelAuth' : 'Default' },
      })
      .catch(() => undefined);
  });

  client.on('Fetch.requestPaused', ({ requestId, resourceType, request }: PausedRequest) => {
    const isBlocked = options.blockResources && BLOCKED_TYPES.some((type) => type === resourceType);
    const isOwn = own.length > 0 && originOf(request.url) === options.origin;
    const headers = { ...request.headers, ...options.headers };
    const answer = isBlocked
      ? client.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' })
      : client.send('Fetch.continueRequest', {
          requestId,
          ...(isOwn ? { headers: Object.entries(headers).map(([name, value]) => ({ name, value })) } : {}),
        });
    // The page may be gone by now.
    answer.catch(() => undefined);
  });

  const enable = (types: readonly ResourceType[], handleAuthRequests: boolean): Promise<unknown> =>
    client.send('Fetch.enable', {
      handleAuthRequests,
      patterns: types.map((resourceType) => ({ urlPattern: '*', resourceType })),
    });
  const lasting = [...(options.blockResources ? BLOCKED_TYPES : []), ...(own.length > 0 ? OWN_TYPES : [])];
  await enable([...new Set<ResourceType>(['Document', ...lasting])], true);

  return {
    narrow: () => {
      const done = lasting.length === 0 ? client.send('Fetch.disable') : enable(lasting, false);
      done.catch(() => undefined);
    },
  };
}
