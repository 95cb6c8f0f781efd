import type { ScrapeConfig } from '@gleaner/client';
import type { Fields } from '@gleaner/contracts';
import { PAGE_PARSER, PAGE_PARSER_FACTS, usesBrowser } from '@gleaner/contracts/values';
import { Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../api/call.ts';
import { BrowserBox } from '../fetching/fetch-settings.tsx';
import { priceWords } from '../fetching/words.ts';
import { isFetched } from '../format/format.ts';
import { CodeButton } from '../parts/code-button.tsx';
import { Form, textInput } from '../parts/forms.tsx';
import { Failure, Page } from '../parts/page.tsx';
import { ExampleChoice } from '../studio/fetching/examples.tsx';
import { completeUrl, openExample, useFetching, type Fetched } from '../studio/fetching/fetch-page.ts';
import { FetchFailure } from '../studio/fetching/page-advice.tsx';
import { parserSnippets } from '../studio/studio-code.ts';
import styles from './playground.module.css';
import { readTrySearch } from './search.ts';
import { Seen } from './seen.tsx';
import { keepTried, readTried } from './tried.ts';

const FACTS: Fields = Object.fromEntries(PAGE_PARSER_FACTS.map((page) => [page, { page }]));

/** What the built-in parser reads, and in a browser the page's picture. */
function fieldsOf(config: ScrapeConfig): Fields {
  return usesBrowser(config) ? { ...FACTS, screenshot: { page: 'screenshot' } } : FACTS;
}

/** An example of the installation as a fetched page, free of charge. @throws GleanerError, Refusal */
async function readExample(name: string): Promise<Fetched | undefined> {
  const page = await openExample(name);
  if (page === undefined) return undefined;
  const { html, url } = page;
  const { data } = await call('previewParser', { body: { schema: { fields: FACTS }, html, url } });
  return { page, data };
}

/** One address, and what Gleaner makes of it before anything is saved. */
export function PlaygroundPage() {
  // Today shows it too, to who has nothing.
  const { url: asked } = readTrySearch(useSearch({ strict: false }));
  const navigate = useNavigate();
  const [tried] = useState(() => readTried(asked));
  const [url, setUrl] = useState(asked ?? '');
  const [config, setConfig] = useState(tried?.config ?? {});
  const [seen, setSeen] = useState(tried?.seen);
  const fetching = useFetching((fetched, request) => {
    setConfig(request.config);
    setSeen(fetched);
    keepTried({ url: request.url, config: request.config, seen: fetched });
    void navigate({ to: '.', search: (known) => ({ ...known, url: request.url }), replace: true });
  }, fieldsOf);
  const example = useMutation({ mutationFn: readExample, onSuccess: (read) => setSeen(read) });
  const isEmpty = url.trim() === '';
  const shown = seen !== undefined && isFetched(seen.page.url) ? seen.page.url : completeUrl(url);
  return (
    <Page
      title="Try a page"
      padded
      actions={
        seen && (
          <CodeButton
            title="The text of this page in one call"
            snippets={parserSnippets(location.origin, PAGE_PARSER, shown)}
          />
        )
      }
    >
      <div className={seen ? 'stack' : `stack ${styles.first}`}>
        {seen === undefined && (
          <div>
            <h2>Which page do you want data from?</h2>
            <p className="soft">
              See its text as Markdown, its picture, its data, and what a parser would read. Nothing is saved.
            </p>
          </div>
        )}
        <Form className="row wrap" onSubmit={() => !isEmpty && fetching.mutate({ url, config })}>
          <TextInput
            size="md"
            className={`grow ${styles.address}`}
            aria-label="Address of a page"
            placeholder="Paste a link to a page"
            {...textInput(url, setUrl)}
            autoFocus
          />
          <Button size="md" type="submit" disabled={isEmpty} loading={fetching.isPending}>
            Open for {priceWords(config)}
          </Button>
        </Form>
        <p className="soft">
          Or{' '}
          <Link to="/watch" search={isEmpty ? {} : { url: completeUrl(url) }}>
            watch a page
          </Link>{' '}
          and be told when it changes.
        </p>
        <BrowserBox config={config} onChange={setConfig} />
        <FetchFailure fetching={fetching} />
        <Failure error={example.error} />
        {seen === undefined ? (
          <div>
            <p className="soft">Or start with an example, free of charge:</p>
            <ExampleChoice onChoose={(name) => example.mutate(name)} />
          </div>
        ) : (
          <Seen key={seen.page.id} seen={seen} config={config} fetching={fetching} />
        )}
      </div>
    </Page>
  );
}
