import { Button, Checkbox, SegmentedControl, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { AlertTargetFields, useFirstTarget, type AlertTarget } from '../account/alert-target.tsx';
import { call, useChange } from '../api/call.ts';
import { faultAt } from '../api/problem.ts';
import { Choice, Form, textInput, tickBox } from '../parts/forms.tsx';
import { Failure, Page } from '../parts/page.tsx';
import { completeUrl } from '../studio/fetching/fetch-page.ts';
import { makeWatch } from './make-watch.ts';
import { OFTEN, watchedValue, watchSchema, type Often, type WatchDraft } from './watch-draft.ts';
import styles from './watch.module.css';

const PARTS = [
  { value: 'text', label: 'The whole text' },
  { value: 'value', label: 'One value' },
];

/** What is watched as the page has it now, for one credit. */
function Seen({ url, selector, isReady }: { url: string; selector: string; isReady: boolean }) {
  const seen = useMutation({
    mutationFn: () => call('previewParser', { body: { schema: watchSchema(selector), url } }),
  });
  const value = seen.data && watchedValue(seen.data.data);
  return (
    <div className="stack tight">
      <div>
        <Button variant="default" disabled={!isReady} loading={seen.isPending} onClick={() => seen.mutate()}>
          Look at it now, for 1 credit
        </Button>
      </div>
      <Failure error={seen.error} />
      {value !== undefined &&
        (value === '' ? (
          <p role="status">Nothing on the page matches.</p>
        ) : (
          <div role="region" aria-label="Now" tabIndex={0} className={styles.seen}>
            {value}
          </div>
        ))}
    </div>
  );
}

/** One form that makes what watches a page: parser, table, cron and alert. */
export function WatchPage() {
  const { url: given = '' } = useSearch({ from: '/app/watch' });
  const navigate = useNavigate();
  const [url, setUrl] = useState(given);
  const [part, setPart] = useState('text');
  const [selector, setSelector] = useState('');
  const [often, setOften] = useState<Often>('0 * * * *');
  const [isTold, setTold] = useState(true);
  const [target, setTarget] = useState<AlertTarget>(useFirstTarget());
  const used = part === 'value' ? selector : '';
  const hasPlace = url.trim() !== '' && (part === 'text' || selector.trim() !== '');
  const draft: WatchDraft = {
    url: completeUrl(url),
    selector: used,
    often,
    zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    target: isTold ? target : undefined,
  };
  const make = useChange(() => makeWatch(draft), {
    stale: ['listCollections', 'listCrons', 'listParsers', 'listDatabases', 'listAlerts'],
    onDone: (collectionId) => navigate({ to: '/collections/$collectionId', params: { collectionId } }),
  });
  return (
    <Page title="Watch a page" padded>
      <Form className="form" onSubmit={() => make.mutate()}>
        <p className="soft">
          Gleaner reads the page again and again, keeps what it said, and tells you when it says something
          else. It makes a parser, a cron, a table with its history and an alert, which you can change later.
        </p>
        <TextInput
          label="Address of the page"
          placeholder="Paste a link to a page"
          {...textInput(url, setUrl)}
          error={faultAt(make.error, 'inputs')}
          autoFocus
        />
        <div className="stack tight">
          <SegmentedControl
            aria-label="What"
            className="start"
            data={PARTS}
            value={part}
            onChange={setPart}
          />
          {part === 'value' && (
            <TextInput
              label="CSS selector of the value"
              description={
                <>
                  To click on it instead, make a parser in <Link to="/parsers/new">the studio</Link>.
                </>
              }
              placeholder=".price"
              classNames={{ input: 'mono' }}
              {...textInput(selector, setSelector)}
              error={faultAt(make.error, 'schema')}
            />
          )}
          <Seen key={`${used} ${url}`} url={draft.url} selector={used} isReady={hasPlace} />
        </div>
        <Choice label="How often" words={OFTEN} value={often} onChange={setOften} />
        <Checkbox label="Tell me when it changes" {...tickBox(isTold, setTold)} />
        {isTold && (
          <AlertTargetFields target={target} onChange={setTarget} error={faultAt(make.error, 'to')} />
        )}
        <Failure error={make.error} />
        <div>
          <Button
            type="submit"
            loading={make.isPending}
            disabled={!hasPlace || (isTold && target.where.trim() === '')}
          >
            Watch it
          </Button>
        </div>
      </Form>
    </Page>
  );
}
