import type { AppError } from '@gleaner/contracts';
import type { CDPSession } from 'playwright';
import { toFetchFailure } from '../http/fetch-failure.ts';
import type { RedirectCheck } from '../redirect-check.ts';

/** What Chromium says of a request that it holds back. */
export interface PausedRequest {
  requestId: string;
  frameId: string;
  resourceType: string;
  request: { url: string; headers: Record<string, string> };
}

/** Checks where the page's main frame goes. */
export interface DocumentCheck {
  /** Whether the request may be sent. */
  mayPass(paused: PausedRequest): Promise<boolean>;
  refusal(): AppError | undefined;
}

/** Applies `checkRedirect` to each document of the page's main frame. */
export async function createDocumentCheck(
  client: CDPSession,
  checkRedirect: RedirectCheck | undefined,
): Promise<DocumentCheck> {
  if (checkRedirect === undefined) return { mayPass: async () => true, refusal: () => undefined };
  const { frameTree } = await client.send('Page.getFrameTree');
  let refusal: AppError | undefined;
  return {
    mayPass: async ({ frameId, resourceType, request }) => {
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
    refusal: () => refusal,
  };
}
