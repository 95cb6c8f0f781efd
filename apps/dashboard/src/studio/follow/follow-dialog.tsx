import { priceOf } from '@gleaner/contracts/values';
import { Checkbox, Select } from '@mantine/core';
import { useMemo, useState } from 'react';
import { formatNumber, plural } from '../../format/format.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { tickBox } from '../../parts/forms.tsx';
import { useProposedSink } from '../../targets/proposed-sink.ts';
import { MADE } from '../../targets/sink.ts';
import { linkPathsOf, readsHref } from '../../workflows/stages.ts';
import type { ParserRecord } from '../saving.ts';
import { fieldAt, readPath, type Draft } from '../schema/draft.ts';
import type { StudioState } from '../use-studio-state.ts';
import { arePictures, findNextLink, urlsAt } from './next-link.ts';
import { useFollow, type Followed } from './use-follow.ts';

/** A field that leads to the next page, by its name. */
const NEXT_NAME = /\bnext|next_page|weiter|suivant/i;

/** 1 for a path to where links lead, 0 for one to any other address. */
function rankOf({ fields }: Draft, path: string): number {
  const field = fieldAt({ fields }, readPath(path.replace(/^\$\./, '').replaceAll('[*]', '')));
  return field && readsHref(field) ? 1 : 0;
}

/** What the shown page leads to: its next page, and lists of links. */
function useLeads({ draft, document, outcome, page }: StudioState) {
  return useMemo(() => {
    const data = outcome?.pages.find(({ pageId }) => pageId === page?.id)?.data ?? null;
    const paths = linkPathsOf(draft.fields);
    const nextPath = paths.find((path) => NEXT_NAME.test(path) && !path.includes('[*]'));
    const found = document && nextPath === undefined ? findNextLink(document) : undefined;
    const next: Followed['next'] =
      nextPath === undefined ? found && { selector: found.selector } : { path: nextPath };
    const details = paths
      .filter((path) => path !== nextPath)
      .map((path) => ({ path, urls: urlsAt(data, path) }))
      .filter(({ urls }) => urls.length > 0 && !arePictures(urls))
      .toSorted(
        (one, other) =>
          other.urls.length - one.urls.length || rankOf(draft, other.path) - rankOf(draft, one.path),
      );
    return { next, nextUrl: nextPath === undefined ? found?.href : urlsAt(data, nextPath)[0], details };
  }, [draft, document, outcome, page]);
}

interface FollowDialogProps {
  studio: StudioState;
  record: ParserRecord;
  onClose: () => void;
}

/** Offers to read further from a list: its next pages, and the page behind each of its links. */
export function FollowDialog({ studio, record, onClose }: FollowDialogProps) {
  const { next, nextUrl, details } = useLeads(studio);
  const [isNext, setNext] = useState(true);
  const [isDetails, setDetails] = useState(true);
  const [chosen, setChosen] = useState<string | null>(null);
  const sink = useProposedSink(`parser:${record.id}`, undefined);
  const follow = useFollow();
  const lead = details.find(({ path }) => path === chosen) ?? details[0];
  const [url] = lead?.urls ?? [];
  const takesNext = next !== undefined && isNext;
  const takesDetails = url !== undefined && isDetails;
  const send = (): void =>
    follow.mutate({
      record,
      next: takesNext ? next : undefined,
      details: takesDetails && lead ? { path: lead.path, url } : undefined,
      sink,
    });
  return (
    <FormDialog
      title="Read on from this list"
      onClose={onClose}
      sent={{ ...follow, mutate: send }}
      submit={
        takesDetails ? `Make it for ${plural(priceOf(record.scrape_config), 'credit')}` : 'Make the workflow'
      }
      isReady={(takesNext || takesDetails) && sink !== undefined}
    >
      <Checkbox
        label="Next page"
        description={
          next === undefined ? (
            'No link of this page is marked as the next one. Click it in the page to make a field, and name that next_page.'
          ) : (
            <>
              <code>{'path' in next ? next.path : next.selector}</code> leads to{' '}
              <span className="anywhere">{nextUrl ?? 'none on this page'}</span>
            </>
          )
        }
        disabled={next === undefined}
        {...tickBox(takesNext, setNext)}
      />
      <Checkbox
        label="Follow to details"
        description={
          lead === undefined
            ? 'The parser reads no links here. Click one in the page to make a field of it.'
            : `${plural(lead.urls.length, 'link')} on this page. A second parser is made of what the first of them has.`
        }
        disabled={lead === undefined}
        {...tickBox(takesDetails, setDetails)}
      />
      {takesDetails && details.length > 1 && (
        <Select
          label="Links to follow"
          classNames={{ input: 'mono', option: 'mono' }}
          data={details.map(({ path, urls }) => ({
            value: path,
            label: `${path} (${formatNumber(urls.length)})`,
          }))}
          value={lead?.path ?? null}
          allowDeselect={false}
          onChange={setChosen}
        />
      )}
      <p className="soft small">
        A workflow is made of it
        {sink !== undefined &&
          `, whose rows go to a table of ${sink.database === MADE ? 'a new database' : 'the database used last'}`}
        . You run it over the first pages of lists, or put it on a schedule.
      </p>
    </FormDialog>
  );
}
