import { Button, NumberInput, Select, Textarea, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { call, type CallOutput } from '../api/call.ts';
import { operationQuery } from '../api/queries.ts';
import { plural } from '../format/number.ts';
import { Page } from '../parts/page.tsx';
import { choicesOf } from '../parts/choices.ts';
import { Failure, Loaded } from '../parts/states.tsx';
import { KeepPagesSelect } from '../targets/keep-pages-select.tsx';
import { SinkFields } from '../targets/sink-fields.tsx';
import { TargetSelect } from '../targets/target-select.tsx';
import { copyBatch } from './batch-inputs.ts';
import { bodyOf, draftOfCron, lackOf, newCronDraft, type CronDraft } from './cron-draft.ts';
import { ScheduleField } from './schedule-field.tsx';
import { OVERLAP_WORDS } from './words.ts';

type Cron = CallOutput<'getCron'>;

/** The price of one firing, read from the service while the form is filled. */
function useFiringPrice(draft: CronDraft, isComplete: boolean) {
  const [settled] = useDebouncedValue(draft, 500);
  return useQuery({
    queryKey: ['cron-dry-run', settled],
    queryFn: ({ signal }) => call('createCron', { body: { ...bodyOf(settled), dry_run: true } }, { signal }),
    enabled: isComplete && lackOf(settled) === undefined,
    staleTime: 30_000,
    retry: false,
  });
}

function CronForm({ initial, cron }: { initial: CronDraft; cron?: Cron }) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const [draft, setDraft] = useState(initial);
  const set = (change: Partial<CronDraft>): void => setDraft((known) => ({ ...known, ...change }));
  const lack = lackOf(draft);
  const price = useFiringPrice(draft, lack === undefined);
  const save = useMutation({
    mutationFn: async () => {
      const body = bodyOf(draft, cron);
      const saved = cron
        ? await call('updateCron', { params: { id: cron.id }, body })
        : await call('createCron', { body });
      if ('dry_run' in saved) throw new Error('the cron was only tried');
      return saved;
    },
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({ queryKey: ['listCrons'] });
      await client.invalidateQueries({ queryKey: ['getCron'] });
      await navigate({ to: '/crons/$cronId', params: { cronId: id } });
    },
  });
  const isApi = draft.target?.startsWith('api:') === true;
  const isWorkflow = draft.target?.startsWith('workflow:') === true;
  const answer = price.data !== undefined && 'dry_run' in price.data ? price.data : undefined;
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        if (lack === undefined) save.mutate();
      }}
    >
      <TextInput
        label="Name"
        placeholder="Prices every morning"
        value={draft.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
      />
      <ScheduleField
        schedule={draft.schedule}
        zone={draft.zone}
        onSchedule={(schedule) => set({ schedule })}
        onZone={(zone) => set({ zone })}
      />
      <TargetSelect
        label="Read each page with"
        value={draft.target}
        onChange={(target) => set({ target })}
        withWorkflows
      />
      <Textarea
        label={isApi ? 'Inputs, one JSON object a line' : 'Pages, one address a line'}
        placeholder={isApi ? '{"username": "…"}' : 'https://shop.example/kettles'}
        rows={5}
        classNames={{ input: 'mono' }}
        value={draft.inputs}
        onChange={(event) => set({ inputs: event.currentTarget.value })}
      />
      {!isWorkflow && <SinkFields value={draft.sink} onChange={(sink) => set({ sink })} withDrift={!isApi} />}
      <div className="row wrap" style={{ alignItems: 'flex-start', gap: 16 }}>
        <Select
          label="If the run before is unfinished"
          data={choicesOf(OVERLAP_WORDS)}
          value={draft.overlap}
          allowDeselect={false}
          onChange={(overlap) => overlap !== null && set({ overlap })}
          w={270}
        />
        <NumberInput
          label="Pauses after failures"
          min={1}
          max={1000}
          allowDecimal={false}
          hideControls
          w={190}
          value={draft.pauseAfter}
          onChange={(value) => typeof value === 'number' && set({ pauseAfter: value })}
        />
        <NumberInput
          label="A firing spends at most"
          placeholder="no limit"
          suffix=" credits"
          min={1}
          allowDecimal={false}
          hideControls
          w={160}
          value={draft.maxCredits ?? ''}
          onChange={(value) => set({ maxCredits: typeof value === 'number' ? value : undefined })}
        />
        {!isWorkflow && !isApi && (
          <KeepPagesSelect value={draft.keepPages} onChange={(keepPages) => set({ keepPages })} />
        )}
      </div>
      {price.error !== null && !save.isError && <Failure error={price.error} />}
      {save.error !== null && <Failure error={save.error} />}
      <div className="row wrap">
        <Button type="submit" size="sm" disabled={lack !== undefined} loading={save.isPending}>
          {cron ? 'Save' : 'Create cron'}
        </Button>
        <span className="soft small" role="status">
          {lack ??
            (answer &&
              `Each firing reads ${plural(answer.inputs, 'page')} for at most ${plural(answer.credits.most, 'credit')}; what fails costs nothing.`)}
        </span>
      </div>
    </form>
  );
}

/** A cron that isn't there yet. */
export function NewCronPage() {
  const { parser, api, url, batch, database } = useSearch({ from: '/app/crons/new' });
  const target = parser === undefined ? (api === undefined ? null : `api:${api}`) : `parser:${parser}`;
  const blank = newCronDraft(target, url ?? '');
  const initial = { ...blank, sink: { ...blank.sink, database: database ?? null } };
  const copied = useQuery({
    queryKey: ['copied-batch', batch],
    queryFn: () => copyBatch(batch ?? ''),
    enabled: batch !== undefined,
    refetchOnWindowFocus: false,
    staleTime: Infinity,
  });
  return (
    <Page title="New cron" crumbs={<Link to="/crons">Crons</Link>} padded>
      {batch === undefined ? (
        <CronForm initial={initial} />
      ) : (
        <Loaded query={copied} what="the pages of the batch">
          {(found) => (
            <>
              {found.inputs === '' && (
                <div className="notice" role="status" style={{ marginBottom: 16 }}>
                  The addresses of this batch can’t be copied: paste those that the cron should read.
                </div>
              )}
              <CronForm initial={{ ...initial, name: found.batch.name ?? '', inputs: found.inputs }} />
            </>
          )}
        </Loaded>
      )}
    </Page>
  );
}

/** Changes a cron. */
export function EditCronPage() {
  const { cronId } = useParams({ from: '/app/crons/$cronId/edit' });
  const query = useQuery({
    ...operationQuery('getCron', { params: { id: cronId } }),
    refetchOnWindowFocus: false,
  });
  return (
    <Page
      title="Edit"
      crumbs={
        <>
          <Link to="/crons">Crons</Link>
          <span aria-hidden>/</span>
          <Link to="/crons/$cronId" params={{ cronId }}>
            {query.data?.name ?? 'Cron'}
          </Link>
        </>
      }
      padded
    >
      <Loaded query={query} what="the cron">
        {(cron) => <CronForm initial={draftOfCron(cron)} cron={cron} />}
      </Loaded>
    </Page>
  );
}
