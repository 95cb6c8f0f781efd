import { useResizeObserver } from '@mantine/hooks';
import { useEffect, useState, type RefObject } from 'react';
import { isFetched } from '../../format/format.ts';
import type { KeptPage } from '../extraction/protocol.ts';
import { createResourceLoader, dressSnapshot } from './dress.ts';
import { renderSnapshot, type Snapshot } from './snapshot.ts';

/** The width that pages are laid out for; narrower panes show them smaller. */
const LAYOUT_WIDTH = 960;
const VIEW_HEIGHT = 900;
const MAX_HEIGHT = 30_000;

/** Makes the frame as tall as its page, and returns that height. The same page always gets the same height. */
function fitHeight(frame: HTMLIFrameElement, document: Document): number {
  // Laid out in a window of ordinary height first: pages that are as tall as their window would grow for ever.
  frame.style.height = `${VIEW_HEIGHT}px`;
  const height = Math.min(
    MAX_HEIGHT,
    Math.max(200, document.documentElement.scrollHeight, document.body.scrollHeight),
  );
  frame.style.height = `${height}px`;
  return height;
}

/**
 * Keeps the frame as tall as its page: whatever makes the page taller, such as a style sheet, an image or a narrower
 * pane, changes the size of its body or of an image that lies outside the body's own flow.
 * @returns ends it
 */
function keepFitting(
  frame: HTMLIFrameElement,
  document: Document,
  onHeight: (height: number) => void,
): () => void {
  let request = 0;
  const fit = (): void => onHeight(fitHeight(frame, document));
  const observer = new ResizeObserver(() => {
    cancelAnimationFrame(request);
    request = requestAnimationFrame(fit);
  });
  fit();
  for (const element of [document.body, ...document.images]) observer.observe(element);
  return () => {
    observer.disconnect();
    cancelAnimationFrame(request);
  };
}

/**
 * How large the page is shown, in its own pixels: as tall as it is, and as wide as the pane; `scale` makes it fit.
 * @param zoom the scale that a person chose; without it pages that are wider than the pane are made smaller
 */
export function usePageSize(zoom: number | null) {
  // `width` would be with the scroll bar.
  const [ref, { left, right }] = useResizeObserver<HTMLDivElement>();
  const paneWidth = right - left;
  const [height, setHeight] = useState(VIEW_HEIGHT);
  const width = Math.max(LAYOUT_WIDTH, paneWidth / (zoom ?? 1));
  return { ref, width, height, setHeight, scale: zoom ?? (paneWidth / width || 1) };
}

interface SnapshotInput {
  page: KeptPage;
  isDressed: boolean;
  frame: RefObject<HTMLIFrameElement | null>;
  /** Whether the frame has loaded its empty page. */
  isLoaded: boolean;
  onReady: (source: Document) => void;
  onHeight: (height: number) => void;
  onPictures: (pictures: ReadonlyMap<string, string>) => void;
}

/** The page as the frame shows it, with its own style sheets and images when it is dressed. */
export function useSnapshot(input: SnapshotInput): Snapshot | undefined {
  const { page, isDressed, frame, isLoaded, onReady, onHeight, onPictures } = input;
  const { html, url } = page;
  const [snapshot, setSnapshot] = useState<Snapshot | undefined>();
  const [loader] = useState(createResourceLoader);
  useEffect(() => {
    const element = frame.current;
    const document = element?.contentDocument;
    if (!isLoaded || !element || !document) return undefined;
    const made = renderSnapshot(html, document);
    const stopFitting = keepFitting(element, document, onHeight);
    setSnapshot(made);
    onReady(made.source);
    const controller = new AbortController();
    if (isDressed && isFetched(url))
      dressSnapshot(made, { pageUrl: url, loader, signal: controller.signal, onPictures }).catch(
        () => undefined,
      );
    return () => {
      controller.abort();
      stopFitting();
    };
  }, [html, url, isDressed, frame, isLoaded, loader, onReady, onHeight, onPictures]);
  return snapshot;
}

/** Scrolls the pane to the page's heading when it is opened, and to the first match when that is out of view. */
export function useScrolling(
  pane: RefObject<HTMLElement | null>,
  snapshot: Snapshot | undefined,
  scale: number,
  firstMatch: Element | undefined,
): void {
  // Without their site's styles many pages begin with their menus: the content is further down.
  useEffect(() => {
    const heading = [...(snapshot?.source.querySelectorAll('h1') ?? [])].find(
      (one) => one.textContent?.trim() !== '',
    );
    const shown = heading && snapshot?.shownOf(heading);
    const top = shown ? shown.getBoundingClientRect().top * scale : 0;
    const isFarDown = pane.current !== null && top > pane.current.clientHeight * 0.7;
    pane.current?.scrollTo({ top: isFarDown ? top - 60 : 0 });
    // Only when another page is shown.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [snapshot]);

  useEffect(() => {
    const shown = firstMatch && snapshot?.shownOf(firstMatch);
    const element = pane.current;
    if (!shown || !element) return;
    const top = shown.getBoundingClientRect().top * scale;
    const isInView = top > element.scrollTop && top < element.scrollTop + element.clientHeight - 40;
    if (!isInView) element.scrollTo({ top: Math.max(0, top - 80) });
  }, [pane, firstMatch, snapshot, scale]);
}
