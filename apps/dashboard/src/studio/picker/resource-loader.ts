import { call } from '../../api/call.ts';

/** Something that a page is shown with. */
export interface Resource {
  type: string;
  base64: string;
}

/** Resources of one call, which is the limit of the API. */
const PER_CALL = 20;
const PARALLEL = 2;
const IS_SHOWN = /^(text\/css|image\/[\w.+-]+|font\/[\w.+-]+|application\/(x-)?font-[\w.+-]+)$/;

/** Loads style sheets, images and fonts through the service; each address once. */
export type ResourceLoader = ReturnType<typeof createResourceLoader>;

export function createResourceLoader() {
  const known = new Map<string, Resource | undefined>();

  const loadSome = async (urls: string[], signal: AbortSignal): Promise<void> => {
    const { resources } = await call('loadPageResources', { body: { urls } }, { signal });
    for (const { url, type, base64 } of resources) {
      const isLoaded = type !== null && base64 !== null && IS_SHOWN.test(type);
      known.set(url, isLoaded ? { type, base64 } : undefined);
    }
  };

  /** Those that could be loaded, by address. */
  return async (urls: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, Resource>> => {
    const missing = [...new Set(urls)].filter((url) => !known.has(url));
    const work = async (): Promise<void> => {
      while (missing.length > 0) {
        // Without its pictures the page is still a page to pick from.
        await loadSome(missing.splice(0, PER_CALL), signal).catch(() => undefined);
      }
    };
    await Promise.all(Array.from({ length: PARALLEL }, work));
    return new Map(
      urls.flatMap((url) => {
        const resource = known.get(url);
        return resource === undefined ? [] : [[url, resource]];
      }),
    );
  };
}

/** The text of a style sheet. */
export function textOf({ base64 }: Resource): string {
  return new TextDecoder().decode(Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)));
}
