import { useMemo } from 'react';
import { isFetched } from '../../format/page-name.ts';
import type { KeptPage } from '../extraction/protocol.ts';
import type { StudioState } from '../use-studio-state.ts';
import styles from './fetching.module.css';
import { FetchFailure, isBlank, tryAfterBlank, TryButton } from './next-try.tsx';

/** What a person should know about the shown page: how it was reached, or why it is empty, with the next step. */
export function PageAdvice({ studio, page }: { studio: StudioState; page: KeptPage }) {
  const { fetching, config, document } = studio;
  const isFromBrowser = page.captures !== undefined;
  const isEmpty = useMemo(
    () => document !== undefined && isFetched(page.url) && isBlank(document, isFromBrowser),
    [document, page, isFromBrowser],
  );
  const next = isEmpty ? tryAfterBlank(isFromBrowser, config) : undefined;
  const note = fetching.data?.page.id === page.id ? fetching.data.note : undefined;
  const isFailed = fetching.error !== null && fetching.variables?.replaces === page.id;
  if (!isEmpty && note === undefined && !isFailed) return null;
  return (
    <div className={styles.advice}>
      {note !== undefined && (
        <div className="notice" role="status">
          {note}
        </div>
      )}
      {isEmpty && (
        <div className="notice" role="status">
          <div className="stack tight">
            <span>
              {isFromBrowser
                ? `This page was still almost empty when the browser had read it.${next ? '' : ' Say under Fetch what to wait for.'}`
                : 'Without its scripts this page shows almost nothing.'}
            </span>
            <TryButton
              fetching={fetching}
              request={{ url: page.url, config, replaces: page.id }}
              next={next}
            />
          </div>
        </div>
      )}
      <FetchFailure fetching={fetching} replaces={page.id} />
    </div>
  );
}
