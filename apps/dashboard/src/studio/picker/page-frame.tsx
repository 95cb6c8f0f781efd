import {
  useCallback,
  useMemo,
  useRef,
  useState,
  type CSSProperties,
  type KeyboardEvent,
  type MouseEvent,
  type RefObject,
} from 'react';
import { useLocalStorage, useMergedRef } from '@mantine/hooks';
import type { KeptPage } from '../extraction/protocol.ts';
import type { StudioState } from '../use-studio-state.ts';
import { describeElement, neighbourOf } from './elements.ts';
import { boxesOf, type Outline, type Box } from './outlines.ts';
import styles from './page-frame.module.css';
import { EMPTY_FRAME, type Snapshot } from './snapshot.ts';
import { usePageSize, useScrolling, useSnapshot } from './use-snapshot.ts';

interface PickLayerProps {
  frame: RefObject<HTMLIFrameElement | null>;
  snapshot: Snapshot | undefined;
  scale: number;
  boxes: readonly Box[];
  hovered: Element | undefined;
  onHover: (element: Element | undefined) => void;
  onPick: (element: Element) => void;
  onClear: () => void;
}

/** Lies over the page, takes every click and key, and shows the outlines. */
function PickLayer(props: PickLayerProps) {
  const { frame, snapshot, scale, boxes, hovered, onHover, onPick, onClear } = props;
  const elementAt = (event: MouseEvent<HTMLElement>): Element | undefined => {
    const rect = event.currentTarget.getBoundingClientRect();
    const x = (event.clientX - rect.left) / scale;
    const y = (event.clientY - rect.top) / scale;
    const shown = frame.current?.contentDocument?.elementFromPoint(x, y);
    return (shown && snapshot?.sourceOf(shown)) ?? undefined;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const body = snapshot?.source.body;
    const next = body && neighbourOf<Element>(hovered ?? body, event.key, body);
    if (next !== undefined) event.preventDefault();
    if (next) {
      onHover(next);
      snapshot?.shownOf(next)?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter' && hovered) onPick(hovered);
    else if (event.key === 'Escape') onClear();
  };
  return (
    <div
      className={styles.layer}
      role="application"
      aria-label="Page. Arrow keys move between elements, Enter picks one."
      tabIndex={0}
      onMouseMove={(event) => onHover(elementAt(event))}
      onMouseLeave={() => onHover(undefined)}
      onClick={(event) => {
        const element = elementAt(event);
        if (element) onPick(element);
      }}
      onKeyDown={onKeyDown}
    >
      {boxes.map(({ key, kind, ...position }) => (
        <div key={key} className={`${styles.outline} ${styles[kind]}`} style={position} />
      ))}
    </div>
  );
}

const ZOOMS = [0.5, 0.75, 1, 1.25, 1.5];

interface FrameStatusProps {
  hovered: Element | undefined;
  /** The page has more elements than are shown. */
  isCut: boolean;
  scale: number;
  /** Null: as large as fits. */
  zoom: number | null;
  setZoom: (zoom: number | null) => void;
}

/** What lies under the pointer, and how large the page is shown. */
function FrameStatus({ hovered, isCut, scale, zoom, setZoom }: FrameStatusProps) {
  return (
    <div className={styles.status}>
      <span className="grow truncate small mono" aria-live="polite">
        {hovered ? describeElement(hovered) : 'Click what you want to read'}
        {isCut && ' · only the first part of the page is shown'}
      </span>
      <select
        aria-label="Zoom of the page"
        className={styles.zoom}
        value={zoom ?? ''}
        onChange={({ currentTarget: { value } }) => setZoom(value === '' ? null : Number(value))}
      >
        <option value="">Fit{zoom === null ? ` (${Math.round(scale * 100)} %)` : ''}</option>
        {ZOOMS.map((one) => (
          <option key={one} value={one}>
            {one * 100} %
          </option>
        ))}
      </select>
    </div>
  );
}

interface PageFrameProps {
  page: KeptPage;
  /** Whether its own style sheets and images are loaded. */
  isDressed: boolean;
  outlines: readonly Outline[];
  show: StudioState['show'];
  /** An element of the page's own document was picked. */
  onPick: (element: Element) => void;
  onClear: () => void;
  /** The page was scrolled to its end. */
  onEnd: (() => void) | undefined;
}

/**
 * The page to pick from: a frame without scripts, and a layer over it that takes every click and key. The frame itself
 * is as tall as the page, so that the layer and its outlines scroll with it.
 */
export function PageFrame({ page, isDressed, outlines, show, ...props }: PageFrameProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const pane = useRef<HTMLDivElement>(null);
  const [hovered, setHovered] = useState<Element | undefined>();
  const [isLoaded, setLoaded] = useState(false);
  const [zoom, setZoom] = useLocalStorage<number | null>({
    key: 'gleaner-studio-zoom',
    defaultValue: null,
    getInitialValueInEffect: false,
  });
  const { ref, width, height, setHeight, scale } = usePageSize(zoom);
  const onReady = useCallback(
    (document: Document) => {
      setHovered(undefined);
      show({ document });
    },
    [show],
  );
  const onPictures = useCallback((pictures: ReadonlyMap<string, string>) => show({ pictures }), [show]);
  const snapshot = useSnapshot({
    page,
    isDressed,
    frame,
    isLoaded,
    onReady,
    onHeight: setHeight,
    onPictures,
  });
  const firstMatch = outlines.find(({ kind }) => kind === 'match')?.elements[0];
  useScrolling(pane, snapshot, scale, firstMatch);
  const boxes = useMemo(
    () => (snapshot ? boxesOf(snapshot, outlines, hovered) : []),
    // The size changes where elements are.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
    [snapshot, outlines, hovered, width, height, scale],
  );
  const { onPick, onClear, onEnd } = props;
  const measures = { '--width': `${width}px`, '--height': `${height}px`, '--scale': scale };
  return (
    <div
      className={styles.pane}
      ref={useMergedRef(pane, ref)}
      style={measures as CSSProperties}
      onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
        if (scrollTop > 0 && scrollTop + clientHeight >= scrollHeight - 2) onEnd?.();
      }}
    >
      <div className={styles.room}>
        <div className={styles.page}>
          <iframe
            ref={frame}
            title="The page, without scripts"
            sandbox="allow-same-origin"
            srcDoc={EMPTY_FRAME}
            tabIndex={-1}
            aria-hidden
            onLoad={() => setLoaded(true)}
            className={styles.frame}
          />
          <PickLayer {...{ frame, snapshot, scale, boxes, hovered, onPick, onClear }} onHover={setHovered} />
        </div>
      </div>
      <FrameStatus {...{ hovered, scale, zoom, setZoom }} isCut={snapshot?.isCut === true} />
    </div>
  );
}
