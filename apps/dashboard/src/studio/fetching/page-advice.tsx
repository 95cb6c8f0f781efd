import { Button } from '@mantine/core';
import { useMemo } from 'react';
import type { KeptPage } from '../extraction/protocol.ts';
import { isFetched } from '../../format/page-name.ts';
import type { StudioState } from '../use-studio-state.ts';
import { FetchFailure } from './fetch-failure.tsx';
import styles from './fetching.module.css';
import { isBlank, tryAfterBlank } from './next-try.ts';

interface PageAdviceProps {
  studio: StudioState;
  page: KeptPage;
  document: Document | undefined;
}

/** What a person should know about the shown page: how it was reached, or why it is empty, with the next step. */
export function PageAdvice({ studio, page, document }: PageAdviceProps) {
  const { fetching, config } = studio;
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
            {next !== undefined && (
              <div>
                <Button
                  loading={fetching.isPending}
                  onClick={() => fetching.mutate({ url: page.url, config: next.config, replaces: page.id })}
                >
                  {next.label}
                </Button>
              </div>
            )}
          </div>
        </div>
      )}
      <FetchFailure fetching={fetching} replaces={page.id} />
    </div>
  );
}
