import type { PageResources, PageResourcesOptions } from './page-resources.ts';

export type { PageResource, PageResources } from './page-resources.ts';

/** The resources of pages. The first load imports the HTTP client, which takes 6 MB. */
export function createPageResources(options: PageResourcesOptions): PageResources {
  let opened: Promise<PageResources> | undefined;
  const open = async (): Promise<PageResources> => {
    const { createPageResources: create } = await import('./page-resources.ts');
    return create(options);
  };
  return {
    load: async (owner, urls, signal) => {
      opened ??= open();
      const resources = await opened;
      return resources.load(owner, urls, signal);
    },
    close: async () => {
      const resources = await opened;
      await resources?.close();
    },
  };
}
