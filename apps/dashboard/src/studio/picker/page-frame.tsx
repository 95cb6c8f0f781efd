import {
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type MouseEvent,
} from 'react';
import { dressSnapshot } from './dress.ts';
import { createResourceLoader } from './resource-loader.ts';
import { EMPTY_FRAME, renderSnapshot, type Snapshot } from './snapshot.ts';

/** The width that pages are laid out for; narrower panes show them smaller. */
const LAYOUT_WIDTH = 960;
const VIEW_HEIGHT = 900;
const MAX_HEIGHT = 30_000;
const MAX_BOXES = 400;

export type OutlineKind = 'match' | 'row' | 'preview' | 'reach';

export interface Outline {
  kind: OutlineKind;
  elements: readonly Element[];
}

export interface PageFrameProps {
  html: string;
  /** The page's address; empty when it is unknown. */
  url: string;
  /** Whether its own style sheets and images are loaded. */
  isDressed: boolean;
  outlines: readonly Outline[];
  /** The page's own document, once it is made. */
  onReady: (source: Document) => void;
  /** An element of that document was picked. */
  onPick: (element: Element) => void;
  onClear: () => void;
}

interface Box {
  key: string;
  kind: OutlineKind | 'hover';
  left: number;
  top: number;
  width: number;
  height: number;
}

function describe(element: Element): string {
  const classes = [...element.classList].slice(0, 2).map((name) => `.${name}`);
  return `${element.localName}${element.id === '' ? '' : `#${element.id}`}${classes.join('')}`;
}

function boxOf(element: Element, kind: Box['kind'], key: string): Box | undefined {
  const rect = element.getBoundingClientRect();
  if (rect.width === 0 && rect.height === 0) return undefined;
  return { key, kind, left: rect.left, top: rect.top, width: rect.width, height: rect.height };
}

interface Size {
  scale: number;
  width: number;
  height: number;
}

/** Makes the frame as tall as its page. */
function fitHeight(frame: HTMLIFrameElement, setSize: (change: (known: Size) => Size) => void): void {
  const document = frame.contentDocument;
  if (!document) return;
  // Laid out in a window of ordinary height first: pages that are as tall as their window would grow for ever.
  frame.style.height = `${VIEW_HEIGHT}px`;
  const height = Math.min(
    MAX_HEIGHT,
    Math.max(200, document.documentElement.scrollHeight, document.body.scrollHeight),
  );
  frame.style.height = `${height}px`;
  setSize((known) => ({ ...known, height }));
}

/**
 * The page to pick from: a frame without scripts, and a layer over it that takes every click and key. The frame itself
 * is as tall as the page, so that the layer and its outlines scroll with it.
 */
export function PageFrame({ html, url, isDressed, outlines, onReady, onPick, onClear }: PageFrameProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const pane = useRef<HTMLDivElement>(null);
  const [snapshot, setSnapshot] = useState<Snapshot | undefined>();
  const [size, setSize] = useState({ scale: 1, width: LAYOUT_WIDTH, height: VIEW_HEIGHT });
  const [hovered, setHovered] = useState<Element | undefined>();
  const [isLoaded, setLoaded] = useState(false);
  const [loader] = useState(createResourceLoader);

  useEffect(() => {
    const document = frame.current?.contentDocument;
    if (!isLoaded || !document || !frame.current) return undefined;
    const made = renderSnapshot(html, document);
    fitHeight(frame.current, setSize);
    setSnapshot(made);
    setHovered(undefined);
    onReady(made.source);
    // The example pages have no other address.
    if (!isDressed || !/^https?:/.test(url) || new URL(url).hostname.endsWith('.example')) return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    const onChange = (): void => {
      if (frame.current && !signal.aborted) fitHeight(frame.current, setSize);
    };
    dressSnapshot(made, { pageUrl: url, loader, signal, onChange }).catch(() => undefined);
    return () => controller.abort();
  }, [html, url, isDressed, isLoaded, loader, onReady]);

  useEffect(() => {
    const element = pane.current;
    if (!element) return undefined;
    const fit = (): void => {
      const width = Math.max(LAYOUT_WIDTH, element.clientWidth);
      setSize((known) => ({ ...known, width, scale: element.clientWidth / width }));
    };
    fit();
    const observer = new ResizeObserver(fit);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  const boxes = useMemo(() => {
    if (!snapshot) return [];
    const made: Box[] = [];
    for (const { kind, elements } of outlines) {
      for (const [index, element] of elements.entries()) {
        if (made.length >= MAX_BOXES) break;
        const shown = snapshot.shownOf(element);
        const box = shown && boxOf(shown, kind, `${kind}${index}`);
        if (box) made.push(box);
      }
    }
    const shown = hovered && snapshot.shownOf(hovered);
    const box = shown && boxOf(shown, 'hover', 'hover');
    return box ? [...made, box] : made;
    // The size changes where elements are.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [snapshot, outlines, hovered, size]);

  // Without their site's styles many pages begin with their menus: the content is further down.
  useEffect(() => {
    const heading = [...(snapshot?.source.querySelectorAll('h1') ?? [])].find(
      (one) => one.textContent?.trim() !== '',
    );
    const shown = heading && snapshot?.shownOf(heading);
    const top = shown ? shown.getBoundingClientRect().top * size.scale : 0;
    const isFarDown = pane.current !== null && top > pane.current.clientHeight * 0.7;
    pane.current?.scrollTo({ top: isFarDown ? top - 60 : 0 });
    // Only when another page is shown.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [snapshot]);

  const first = outlines.find(({ kind }) => kind === 'match')?.elements[0];
  useEffect(() => {
    const shown = first && snapshot?.shownOf(first);
    const element = pane.current;
    if (!shown || !element) return;
    const top = shown.getBoundingClientRect().top * size.scale;
    const isInView = top > element.scrollTop && top < element.scrollTop + element.clientHeight - 40;
    if (!isInView) element.scrollTo({ top: Math.max(0, top - 80) });
  }, [first, snapshot, size.scale]);

  const elementAt = (event: MouseEvent<HTMLElement>): Element | undefined => {
    const rect = event.currentTarget.getBoundingClientRect();
    const x = (event.clientX - rect.left) / size.scale;
    const y = (event.clientY - rect.top) / size.scale;
    const shown = frame.current?.contentDocument?.elementFromPoint(x, y);
    return (shown && snapshot?.sourceOf(shown)) ?? undefined;
  };

  const move = useCallback(
    (key: string): boolean => {
      const body = snapshot?.source.body;
      if (!body) return false;
      const from = hovered ?? body;
      const next = {
        ArrowUp: from === body ? body : from.parentElement,
        ArrowDown: from.firstElementChild,
        ArrowRight: from.nextElementSibling,
        ArrowLeft: from.previousElementSibling,
      }[key];
      if (next === undefined) return false;
      if (next !== null) {
        setHovered(next);
        snapshot.shownOf(next)?.scrollIntoView({ block: 'nearest' });
      }
      return true;
    },
    [snapshot, hovered],
  );
  const onKeyDown = (event: KeyboardEvent): void => {
    if (move(event.key)) event.preventDefault();
    else if (event.key === 'Enter' && hovered) onPick(hovered);
    else if (event.key === 'Escape') onClear();
  };

  return (
    <div className="page-pane" ref={pane}>
      <div style={{ height: size.height * size.scale, position: 'relative' }}>
        <div
          style={{
            width: size.width,
            height: size.height,
            transform: `scale(${size.scale})`,
            transformOrigin: '0 0',
            position: 'absolute',
          }}
        >
          <iframe
            ref={frame}
            title="The page, without scripts"
            sandbox="allow-same-origin"
            srcDoc={EMPTY_FRAME}
            tabIndex={-1}
            aria-hidden
            onLoad={() => setLoaded(true)}
            style={{ width: size.width, height: size.height, border: 0, display: 'block' }}
          />
          <div
            className="pick-layer"
            role="application"
            aria-label="Page. Arrow keys move between elements, Enter picks one."
            tabIndex={0}
            onMouseMove={(event) => setHovered(elementAt(event))}
            onMouseLeave={() => setHovered(undefined)}
            onClick={(event) => {
              const element = elementAt(event);
              if (element) onPick(element);
            }}
            onKeyDown={onKeyDown}
          >
            {boxes.map(({ key, kind, ...place }) => (
              <div key={key} className={`outline ${kind}`} style={place} />
            ))}
          </div>
        </div>
      </div>
      <div className="page-status small mono" aria-live="polite">
        {hovered
          ? `${describe(hovered)} · ${(hovered.textContent ?? '').trim().replaceAll(/\s+/g, ' ').slice(0, 80)}`
          : 'Click what you want to read'}
        {snapshot?.isCut === true && ' · the page is longer than what is shown'}
      </div>
    </div>
  );
}
