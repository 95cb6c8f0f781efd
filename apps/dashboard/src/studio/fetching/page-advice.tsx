import type { ScrapeConfig } from '@gleaner/client';
import { readProxy, usesBrowser } from '@gleaner/contracts/values';
import { Button } from '@mantine/core';
import { toProblem } from '../../api/problem.ts';
import { useMemo } from 'react';
import { priceWords } from '../../fetching/words.ts';
import { isFetched } from '../../format/format.ts';
import { Failure } from '../../parts/page.tsx';
import type { KeptPage } from '../extraction/protocol.ts';
import type { StudioState } from '../use-studio-state.ts';
import styles from './fetching.module.css';
import type { Fetching, FetchRequest } from './fetch-page.ts';

/** One step that may help with a page. */
interface NextTry {
  words: string;
  config: ScrapeConfig;
}

/** What to try after a failed fetch: what the advice of the failure says, cheapest first. */
function tryAfterFailure(error: unknown, config: ScrapeConfig): NextTry | undefined {
  const { body } = toProblem(error);
  // Only this advice names both; a login or a rate limit is not helped by either.
  if (body.error !== 'target blocked' || body.hint?.includes('browser') !== true) return undefined;
  if (!usesBrowser(config)) return { words: 'Try it in a browser', config: { ...config, useBrowser: true } };
  if (readProxy(config.proxy).tier !== 'default') return undefined;
  return { words: 'Try it with the proxy tier high quality', config: { ...config, proxy: 'highquality' } };
}

/** A page with less text than this is as good as empty: without what its scripts add, and with it. */
const MIN_TEXT = 100;
const MIN_RENDERED_TEXT = 10;
/** Seconds to wait for a page whose scripts take longer than its loading. */
const PATIENCE_SECONDS = 5;

/** Whether the page shows almost nothing and has scripts, which probably fill it. */
function isBlank(page: Document, isFromBrowser: boolean): boolean {
  const least = isFromBrowser ? MIN_RENDERED_TEXT : MIN_TEXT;
  if (page.querySelector('script') === null) return false;
  let length = 0;
  const texts = page.createTreeWalker(page.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode() !== null && length < least) {
    const { currentNode: text } = texts;
    if (text.parentElement?.closest('script, style, noscript, template') === null)
      length += text.textContent?.trim().length ?? 0;
  }
  return length < least;
}

/** What to try when a page is blank; undefined after everything was tried. */
function tryAfterBlank(isFromBrowser: boolean, config: ScrapeConfig): NextTry | undefined {
  const inBrowser = { ...config, useBrowser: true };
  if (!isFromBrowser) return { words: 'Run its scripts in a browser', config: inBrowser };
  if (config.waitForBrowser !== undefined || config.waitSeconds !== undefined) return undefined;
  const patient = { ...inBrowser, waitSeconds: PATIENCE_SECONDS };
  return { words: `Wait ${PATIENCE_SECONDS} seconds`, config: patient };
}

interface TryButtonProps {
  fetching: Fetching;
  /** What is fetched, as the step says. */
  request: FetchRequest;
  next: NextTry | undefined;
}

/** Takes the step, if there is one. */
function TryButton({ fetching, request, next }: TryButtonProps) {
  if (next === undefined) return null;
  const { words, config } = next;
  return (
    <div>
      <Button loading={fetching.isPending} onClick={() => fetching.mutate({ ...request, config })}>
        {`${words} for ${priceWords(config)}`}
      </Button>
    </div>
  );
}

interface FetchFailureProps {
  fetching: Fetching;
  /** The page that should have been replaced; absent for a further page. */
  replaces?: string;
}

/** Why a page could not be fetched, with a button that does what the advice says. */
export function FetchFailure({ fetching, replaces }: FetchFailureProps) {
  const { error, variables: request } = fetching;
  if (error === null || request === undefined || request.replaces !== replaces) return null;
  return (
    <div className="stack tight">
      <Failure error={error} />
      <TryButton fetching={fetching} request={request} next={tryAfterFailure(error, request.config)} />
    </div>
  );
}

interface PageAdviceProps {
  studio: Pick<StudioState, 'fetching' | 'config' | 'document'> & Partial<Pick<StudioState, 'configure'>>;
  page: KeptPage;
}

interface ClimbOfferProps {
  config: ScrapeConfig;
  configure: ((config: ScrapeConfig) => void) | undefined;
}

/** Lets the parser read by a browser the pages that need one, and others without. */
function ClimbOffer({ config, configure }: ClimbOfferProps) {
  if (configure === undefined || config.escalate !== undefined || config.actions !== undefined) return null;
  const climbing = { ...config, escalate: 'browser' } as const;
  return (
    <div>
      <Button variant="default" onClick={() => configure(climbing)}>
        {`Let pages take a browser where they need one, for ${priceWords(climbing)} each`}
      </Button>
    </div>
  );
}

/** What a person should know about the shown page: how it was reached, or why it is empty, with the next step. */
export function PageAdvice({ studio, page }: PageAdviceProps) {
  const { fetching, config, document, configure } = studio;
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
            {!isFromBrowser && <ClimbOffer config={config} configure={configure} />}
          </div>
        </div>
      )}
      <FetchFailure fetching={fetching} replaces={page.id} />
    </div>
  );
}
