import type { PageResources } from '@gleaner/fetching/page-resources';
import type { Services, Perform } from '../../platform/context.ts';

export interface ResourceServices extends Services {
  pageResources: PageResources;
}

/** Loads what a page is shown with, each or the reason why not. */
export const loadPageResources: Perform<'loadPageResources', ResourceServices> = async (ctx, { body }) => {
  const loaded = await ctx.services.pageResources.load(ctx.accountId, body.urls, ctx.signal);
  return {
    resources: body.urls.map((url, index) => {
      const one = loaded[index] ?? { reason: 'not loaded' };
      return 'reason' in one
        ? { url, type: null, base64: null, reason: one.reason }
        : { url, type: one.type, base64: Buffer.from(one.bytes).toString('base64'), reason: null };
    }),
  };
};
