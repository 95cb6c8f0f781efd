import type { KeyboardEvent, MouseEvent, RefObject } from 'react';
import { neighbourOf } from './elements.ts';
import type { Box } from './outlines.ts';
import styles from './page-frame.module.css';
import type { Snapshot } from './snapshot.ts';

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
export function PickLayer(props: PickLayerProps) {
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
