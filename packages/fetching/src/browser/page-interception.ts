import type { AppError } from '@gleaner/contracts';
import type { CDPSession } from 'playwright';
import type { ProxyRoute } from '../egress/guard-proxy.ts';
import { toFetchFailure } from '../http/fetch-failure.ts';
import type { RedirectCheck } from '../redirect-check.ts';

export interface InterceptionOptions {
  route: ProxyRoute;
  blockResources: boolean;
  headers: Readonly<Record<string, string>>;
  /** The only origin that receives `headers`; redirect hops and third parties don't. */
  origin: string;
  checkRedirect: RedirectCheck | undefined;
}

export type Interception = Awaited<ReturnType<typeof interceptRequests>>;

const BLOCKED_TYPES = ['Image', 'Media', 'Font'] as const;
/** Request types that carry the page's own headers. */
const OWN_TYPES = ['Document', 'XHR', 'Fetch'] as const;

type ResourceType = (typeof BLOCKED_TYPES)[number] | (typeof OWN_TYPES)[number];

function originOf(url: string): string {
  try {
    return new URL(url).origin;
  } catch {
    return '';
  }
}

/** What Chromium says of a request that it holds back. */
interface PausedRequest {
  requestId: string;
  frameId: string;
  resourceType: string;
  request: { url: string; headers: Record<string, string> };
}

/** Applies `checkRedirect` to each document of the page's main frame. */
async function createDocumentCheck(client: CDPSession, checkRedirect: RedirectCheck | undefined) {
  if (checkRedirect === undefined) return { mayPass: async () => true, refusal: () => undefined };
  const { frameTree } = await client.send('Page.getFrameTree');
  let refusal: AppError | undefined;
  return {
    /** Whether the request may be sent. */
    mayPass: async ({ frameId, resourceType, request }: PausedRequest): Promise<boolean> => {
      const isMain = frameId === frameTree.frame.id && resourceType === 'Document';
      if (!isMain || !/^https?:/.test(request.url)) return true;
      try {
        await checkRedirect(new URL(request.url));
        return true;
      } catch (error) {
        refusal ??= toFetchFailure(error);
        return false;
      }
    },
    refusal: (): AppError | undefined => refusal,
  };
}

interface AuthChallenge {
  requestId: string;
  authChallenge: { source?: 'Proxy' | 'Server' };
}

/**
 * Authenticates the page at its proxy route, blocks resources that extraction never reads, and adds the request's own
 * headers. It uses CDP, because Playwright's `route` and `proxy` credentials pause every request and don't see redirect
 * hops. Chromium keeps the proxy's credentials for the whole context, so only the first request needs them.
 */
export async function interceptRequests(client: CDPSession, options: InterceptionOptions) {
  const own = Object.entries(options.headers);
  const documents = await createDocumentCheck(client, options.checkRedirect);
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

  const answerPaused = async (paused: PausedRequest): Promise<unknown> => {
    const { requestId, resourceType, request } = paused;
    const isBlocked =
      (options.blockResources && BLOCKED_TYPES.some((type) => type === resourceType)) ||
      !(await documents.mayPass(paused));
    const isOwn = own.length > 0 && originOf(request.url) === options.origin;
    const headers = { ...request.headers, ...options.headers };
    return isBlocked
      ? client.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' })
      : client.send('Fetch.continueRequest', {
          requestId,
          ...(isOwn ? { headers: Object.entries(headers).map(([name, value]) => ({ name, value })) } : {}),
        });
  };
  client.on('Fetch.requestPaused', (paused: PausedRequest) => {
    // The page may have closed meanwhile.
    answerPaused(paused).catch(() => undefined);
  });

  const enable = (types: readonly ResourceType[], handleAuthRequests: boolean): Promise<unknown> =>
    client.send('Fetch.enable', {
      handleAuthRequests,
      patterns: types.map((resourceType) => ({ urlPattern: '*', resourceType })),
    });
  const kept: ResourceType[] = [
    ...(options.blockResources ? BLOCKED_TYPES : []),
    ...(own.length > 0 ? OWN_TYPES : []),
    ...(options.checkRedirect === undefined || own.length > 0 ? [] : (['Document'] as const)),
  ];
  await enable([...new Set<ResourceType>(['Document', ...kept])], true);

  return {
    /**
     * Stops intercepting documents after the first one. Chromium sometimes never resumes the paused document of an
     * `<embed>`, and the page would wait for it.
     */
    narrow: (): void => {
      const done = kept.length === 0 ? client.send('Fetch.disable') : enable(kept, false);
      done.catch(() => undefined);
    },
    /** Why `checkRedirect` stopped the page on its way to another document. */
    refusal: documents.refusal,
  };
}
