import { call } from '../../api/call.ts';

/** Something that a page is shown with, as a data: URL. */
export interface Resource {
  type: string;
  dataUrl: string;
  base64: string;
}

/** Loads style sheets, images and fonts through the service; each address once. */
export interface ResourceLoader {
  /** Those that could be loaded, by address. */
  load: (urls: readonly string[], signal: AbortSignal) => Promise<ReadonlyMap<string, Resource>>;
}

/** Resources of one call, which is the limit of the API. */
const PER_CALL = 20;
const PARALLEL = 2;
const IS_SHOWN = /^(text\/css|image\/[\w.+-]+|font\/[\w.+-]+|application\/(x-)?font-[\w.+-]+)$/;

export function createResourceLoader(): ResourceLoader {
  const known = new Map<string, Resource | undefined>();

  const loadSome = async (urls: readonly string[], signal: AbortSignal): Promise<void> => {
    const { resources } = await call('loadPageResources', { body: { urls: [...urls] } }, { signal });
    for (const { url, type, base64 } of resources) {
      const isLoaded = type !== null && base64 !== null && IS_SHOWN.test(type);
      known.set(url, isLoaded ? { type, base64, dataUrl: `data:${type};base64,${base64}` } : undefined);
    }
  };

  return {
    load: async (urls, signal) => {
      const missing = [...new Set(urls)].filter((url) => !known.has(url));
      const parts = Array.from({ length: Math.ceil(missing.length / PER_CALL) }, (_, index) =>
        missing.slice(index * PER_CALL, (index + 1) * PER_CALL),
      );
      let next = 0;
      const work = async (): Promise<void> => {
        for (let part = parts[next++]; part !== undefined; part = parts[next++]) {
          // Without its pictures the page is still a page to pick from.
          await loadSome(part, signal).catch(() => undefined);
        }
      };
      await Promise.all(Array.from({ length: PARALLEL }, work));
      const found = new Map<string, Resource>();
      for (const url of urls) {
        const resource = known.get(url);
        if (resource !== undefined) found.set(url, resource);
      }
      return found;
    },
  };
}

/** The text of a style sheet. */
export function textOf({ base64 }: Resource): string {
  return new TextDecoder().decode(Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)));
}
