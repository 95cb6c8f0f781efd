import { Button } from '@mantine/core';
import { useEffect, useMemo } from 'react';
import { cellText, shortUrl, formatShare } from '../../format/format.ts';
import type { KeptPage, PageResult } from '../extraction/protocol.ts';
import { nameOfStep } from '../fields/transform-steps.tsx';
import { pathText } from '../schema/draft.ts';
import type { StudioState } from '../use-studio-state.ts';
import { explainEmpty } from './explain.ts';
import styles from './results.module.css';
import { fillOf, isEmptyValue, traceOf, valueAt } from '../schema/fill.ts';

interface FieldStoryProps {
  studio: StudioState;
  page: KeptPage;
  results: readonly PageResult[];
  /** @param near a selector that may find the missing value */
  onFallback: (near: string | undefined) => void;
}

/** Explains how the selected field got its value on the shown page, or why it has none. */
export function FieldStory({ studio, page, results, onFallback }: FieldStoryProps) {
  const { draft, selected: path, document, show } = studio;
  const result = results.find(({ pageId }) => pageId === page.id);
  const trace = result && traceOf(result, path);
  const value = valueAt(result?.data, path);
  const isEmpty =
    isEmptyValue(value) || (trace?.reason !== undefined && !trace.sources.some(({ won }) => won));
  const fill = fillOf(results, path);
  const why = useMemo(
    () => (isEmpty ? explainEmpty(trace, { draft, path, page: document }) : undefined),
    [isEmpty, trace, draft, path, document],
  );
  const reach = why?.reach;
  useEffect(() => {
    show({ reach });
    return () => show({ reach: undefined });
  }, [reach, show]);
  if (!result) return null;
  const winner = trace?.sources.find(({ won }) => won);
  return (
    <section className={styles.story} aria-label={`How ${pathText(path)} is read`}>
      <div className="row">
        <strong>{pathText(path)}</strong>
        {fill && (
          <span className="soft small nowrap">
            filled {fill.filled} of {fill.total} ({formatShare(fill.filled, fill.total)})
          </span>
        )}
        <span className="grow" />
        <span className="soft small truncate">{shortUrl(page.url) || 'pasted page'}</span>
      </div>
      {why ? (
        <>
          {why.sentences.map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
          <div>
            <Button variant="default" onClick={() => onFallback(why.near)}>
              {why.near === undefined ? 'Add a fallback' : `Fall back on ${why.near}`}
            </Button>
          </div>
        </>
      ) : (
        winner && (
          <ol className={styles.steps}>
            <li>
              <code>{winner.selector}</code>
              <span className="soft">matched {winner.matched}</span>
            </li>
            {winner.raw[0] !== undefined && (
              <li>
                <span className="soft">found</span>
                <code className="truncate">{cellText(winner.raw[0])}</code>
              </li>
            )}
            {winner.steps.map((step, index) => (
              <li key={index}>
                <span className="soft">{nameOfStep(step.step)}</span>
                <code className="truncate">{cellText(step.value)}</code>
              </li>
            ))}
            <li>
              <span className="soft">{trace?.type}</span>
              <code className="truncate">{cellText(winner.value ?? value)}</code>
            </li>
          </ol>
        )
      )}
    </section>
  );
}
