import { call } from '../../api/call.ts';
import { cleanStyles, type Snapshot } from './snapshot.ts';
import { absoluteUrl, fillUrls, importsOf, urlsOf } from './style-urls.ts';

/** Something that a page is shown with. */
interface Resource {
  type: string;
  base64: string;
}

/** Resources of one call, which is the limit of the API. */
const PER_CALL = 20;
const PARALLEL = 2;
const IS_SHOWN = /^(text\/css|image\/[\w.+-]+|font\/[\w.+-]+|application\/(x-)?font-[\w.+-]+)$/;

/** Loads style sheets, images and fonts through the service; each address once. */
type ResourceLoader = ReturnType<typeof createResourceLoader>;

export function createResourceLoader() {
  const known = new Map<string, Resource | undefined>();

  const loadSome = async (urls: string[], signal: AbortSignal): Promise<void> => {
    const { resources } = await call('loadPageResources', { body: { urls } }, { signal });
    for (const { url, type, base64 } of resources) {
      const isLoaded = type !== null && base64 !== null && IS_SHOWN.test(type);
      known.set(url, isLoaded ? { type, base64 } : undefined);
    }
  };

  /** The resources that could be loaded, by address. */
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
function textOf({ base64 }: Resource): string {
  return new TextDecoder().decode(Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)));
}

const MAX_SHEETS = 40;
const MAX_STYLE_URLS = 60;
const MAX_IMAGES = 160;
/** One style sheet of a page may import others, which import no further ones here. */
const MAX_IMPORTS = 10;

type Load = (urls: readonly string[]) => Promise<ReadonlyMap<string, Resource>>;

interface Sheet {
  url: string;
  css: string;
  shown: Element;
}

function baseOf({ source }: Snapshot, pageUrl: string): string {
  const href = source.querySelector('base[href]')?.getAttribute('href');
  return (href ? absoluteUrl(href, pageUrl) : undefined) ?? pageUrl;
}

/** The address of an image: lazy images keep it in their own attributes. */
function imageUrl(image: Element, base: string): string | undefined {
  const own = image.getAttribute('src') ?? '';
  const lazy = ['data-src', 'data-original', 'data-lazy-src']
    .map((name) => image.getAttribute(name))
    .find((text) => text !== null && text !== '');
  const [first] = (image.getAttribute('srcset') ?? image.getAttribute('data-srcset') ?? '')
    .trim()
    .split(/\s+/);
  const text = own !== '' && !own.startsWith('data:') ? own : (lazy ?? (first === '' ? undefined : first));
  return text === undefined ? undefined : absoluteUrl(text, base);
}

function dataUrls(loaded: ReadonlyMap<string, Resource>, types: RegExp): Map<string, string> {
  return new Map(
    [...loaded]
      .filter(([, { type }]) => types.test(type))
      .map(([url, { type, base64 }]) => [url, `data:${type};base64,${base64}`]),
  );
}

/** The text of a style sheet, if it could be loaded. */
function sheetText(loaded: ReadonlyMap<string, Resource>, url: string): string[] {
  const resource = loaded.get(url);
  return resource?.type === 'text/css' ? [textOf(resource)] : [];
}

async function loadSheets(snapshot: Snapshot, base: string, load: Load): Promise<Sheet[]> {
  const links = [...snapshot.source.querySelectorAll('link[rel~="stylesheet" i][href]')]
    .filter((link) => !/print/i.test(link.getAttribute('media') ?? ''))
    .slice(0, MAX_SHEETS)
    .flatMap((link) => {
      const url = absoluteUrl(link.getAttribute('href') ?? '', base);
      const shown = snapshot.shownOf(link);
      return url === undefined || shown === undefined ? [] : [{ url, shown }];
    });
  const loaded = await load(links.map(({ url }) => url));
  const sheets = links.flatMap((link) => sheetText(loaded, link.url).map((css) => ({ ...link, css })));
  const imports = sheets.flatMap(({ css, url }) => importsOf(css, url)).slice(0, MAX_IMPORTS);
  const imported = await load(imports);
  return sheets.map((sheet) => {
    const before = importsOf(sheet.css, sheet.url).flatMap((url) => sheetText(imported, url));
    return { ...sheet, css: [...before, sheet.css].join('\n') };
  });
}

interface Dressing {
  pageUrl: string;
  loader: ResourceLoader;
  signal: AbortSignal;
  /** The page's pictures by their address, as `data:` URLs. */
  onPictures: (pictures: ReadonlyMap<string, string>) => void;
}

/**
 * Adds the styles of its site to a shown page: style sheets first, then images and fonts. The service loads all of them
 * as data: URLs; the frame itself still loads nothing.
 */
export async function dressSnapshot(
  snapshot: Snapshot,
  { pageUrl, loader, signal, onPictures }: Dressing,
): Promise<void> {
  const base = baseOf(snapshot, pageUrl);
  const load: Load = (urls) => loader(urls, signal);
  const sheets = await loadSheets(snapshot, base, load);
  if (signal.aborted) return;
  for (const { css, shown } of sheets) shown.textContent = cleanStyles(css);

  const images = [...snapshot.source.querySelectorAll('img')].slice(0, MAX_IMAGES).flatMap((image) => {
    const url = imageUrl(image, base);
    const shown = snapshot.shownOf(image);
    return url === undefined || shown === undefined ? [] : [{ url, shown }];
  });
  const pictures = await load(images.map(({ url }) => url));
  if (signal.aborted) return;
  const imageData = dataUrls(pictures, /^image\//);
  onPictures(imageData);
  for (const { url, shown } of images) {
    const data = imageData.get(url);
    if (data !== undefined) shown.setAttribute('src', data);
  }

  const named = sheets.flatMap(({ css, url }) => urlsOf(css, url)).slice(0, MAX_STYLE_URLS);
  const loaded = dataUrls(await load(named), /^(image|font)\//);
  if (signal.aborted || loaded.size === 0) return;
  for (const { css, url, shown } of sheets) shown.textContent = cleanStyles(fillUrls(css, url, loaded));
}
