import type { ScrapeConfig } from '@gleaner/client';
import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo, type ReactNode } from 'react';
import { sessionQuery } from '../api/call.ts';
import { priceWords } from '../fetching/words.ts';
import { isFetched } from '../format/format.ts';
import { CopyButton } from '../parts/copy.tsx';
import type { KeptPage } from '../studio/extraction/protocol.ts';
import type { Fetched, Fetching } from '../studio/fetching/fetch-page.ts';
import { PageAdvice } from '../studio/fetching/page-advice.tsx';
import { EMPTY_DRAFT, type Draft } from '../studio/schema/draft.ts';
import { OfferedFields, useSuggested } from '../studio/suggest/suggested-fields.tsx';
import { beginParser } from './begin-parser.ts';
import styles from './playground.module.css';

interface PaneProps {
  title: string;
  /** What its button copies. */
  text?: string | undefined;
  children: ReactNode;
}

/** One view of the page, beside the others. */
function Pane({ title, text, children }: PaneProps) {
  return (
    <section className={styles.pane} aria-label={title}>
      <div className={styles.head}>
        <h2 className="grow">{title}</h2>
        {text !== undefined && <CopyButton text={text} />}
      </div>
      <div className={styles.body} tabIndex={0} role="region" aria-label={`${title} of the page`}>
        {children}
      </div>
    </section>
  );
}

/** What a parser of this page would read; one click opens it in the studio, with the page. */
function ParserPane({ page, config }: { page: KeptPage; config: ScrapeConfig }) {
  const navigate = useNavigate();
  const session = useQuery(sessionQuery);
  const { data, error, isPending } = useSuggested(page);
  const begin = useMutation({
    mutationFn: (draft: Draft) => beginParser(session.data?.account.id ?? '', { page, draft, config }),
    onSuccess: (draft) => navigate({ to: '/parsers/new', search: { draft } }),
  });
  return (
    <Pane title="A parser would read">
      <div className="stack">
        {isPending && (
          <p className="soft" role="status">
            Looking for repeated elements …
          </p>
        )}
        {error !== null && <p className="soft">Nothing could be proposed: {error.message}</p>}
        {data?.schema && <OfferedFields suggested={data} onTake={(draft) => begin.mutate(draft)} />}
        {data?.schema === null && <p className="soft">Nothing repeats, and nothing has a name.</p>}
        <div>
          <Button variant="default" onClick={() => begin.mutate(EMPTY_DRAFT)}>
            Choose values in the page
          </Button>
        </div>
      </div>
    </Pane>
  );
}

/** The path of a file of this installation, whatever its public address is. */
function pathOf(address: string): string {
  const { pathname, search } = new URL(address, location.origin);
  return pathname + search;
}

interface SeenProps {
  seen: Fetched;
  config: ScrapeConfig;
  fetching: Fetching;
}

/** The page's picture, or the way to one. */
function PicturePane({ seen: { page, data }, config, fetching }: SeenProps) {
  const { screenshot } = data;
  const inBrowser = { ...config, useBrowser: true };
  return (
    <Pane title="Screenshot">
      {typeof screenshot === 'string' ? (
        <img src={pathOf(screenshot)} alt={`Screenshot of ${page.url}`} className={styles.picture} />
      ) : (
        <div className="stack">
          <p className="soft">Only a browser makes a picture of a page.</p>
          {isFetched(page.url) && (
            <div>
              <Button
                variant="default"
                loading={fetching.isPending}
                onClick={() => fetching.mutate({ url: page.url, config: inBrowser })}
              >
                Open it in a browser for {priceWords(inBrowser)}
              </Button>
            </div>
          )}
        </div>
      )}
    </Pane>
  );
}

/** What Gleaner makes of one page: text, picture, data and a parser, beside each other. */
export function Seen({ seen, config, fetching }: SeenProps) {
  const { page, data } = seen;
  const document = useMemo(() => new DOMParser().parseFromString(page.html, 'text/html'), [page.html]);
  const { markdown, screenshot: _picture, ...facts } = data;
  const text = typeof markdown === 'string' ? markdown : '';
  const json = JSON.stringify(facts, null, 2);
  return (
    <>
      <PageAdvice studio={{ fetching, config, document }} page={page} />
      <div className={styles.panes}>
        <Pane title="Text" text={text}>
          {text === '' ? <p className="soft">The page has no text.</p> : <pre className="pre">{text}</pre>}
        </Pane>
        <ParserPane page={page} config={config} />
        <PicturePane seen={seen} config={config} fetching={fetching} />
        <Pane title="Data" text={json}>
          <pre className="pre">{json}</pre>
        </Pane>
      </div>
    </>
  );
}
