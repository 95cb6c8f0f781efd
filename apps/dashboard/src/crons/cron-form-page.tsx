import { Button, NumberInput, Select, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { call, client, operationQuery, useChange, type CallOutput } from '../api/call.ts';
import { FetchFields } from '../fetching/fetch-fields.tsx';
import { plural } from '../format/format.ts';
import { choicesOf } from '../parts/choices.ts';
import { Notice } from '../parts/notice.tsx';
import { Page, Failure, Loaded } from '../parts/page.tsx';
import { CREDIT_LIMIT } from '../targets/credit-limit.ts';
import { KeepPagesSelect } from '../targets/keep-pages-select.tsx';
import { keyOfSearch } from '../targets/search.ts';
import { madeSink, useProposedSink } from '../targets/proposed-sink.ts';
import { choiceOfSink, MADE, type SinkChoice } from '../targets/sink.ts';
import { SinkFields } from '../targets/sink-fields.tsx';
import { SourceFields } from '../targets/source-fields.tsx';
import { TargetSelect } from '../targets/target-select.tsx';
import { bodyOf, draftOfCron, lackOf, lineOfInput, newCronDraft, type CronDraft } from './cron-draft.ts';
import { ScheduleField } from './schedule-field.tsx';
import { OVERLAP_WORDS } from './words.ts';

/** A longer list is better pasted or kept in a file. */
const MAX_COPIED = 2_000;

/** Reads what a batch read, one input a line; no inputs when they are too many. */
async function copyBatch(id: string) {
  const batch = await call('getBatch', { params: { id } });
  const lines: string[] = [];
  if (batch.counts.total <= MAX_COPIED)
    for await (const input of client.batches.inputs(id, { limit: 100 }))
      lines.push(lineOfInput(input, batch.target.type === 'api'));
  return { batch, inputs: lines.join('\n') };
}

type Cron = CallOutput<'getCron'>;

/** The price of one firing, read from the service while the form is filled. */
function useFiringPrice(draft: CronDraft, isComplete: boolean) {
  const [settled] = useDebouncedValue(draft, 500);
  return useQuery({
    queryKey: ['cron-dry-run', settled],
    queryFn: ({ signal }) => call('createCron', { body: { ...bodyOf(settled), dry_run: true } }, { signal }),
    // What a source holds is known when it was read.
    enabled:
      isComplete &&
      settled.sink.database !== MADE &&
      lackOf(settled) === undefined &&
      settled.source.from === 'list',
    staleTime: 30_000,
    retry: false,
  });
}

/** When a firing is left out, paused or too expensive. */
function LimitFields({ form, isParser }: { form: ReturnType<typeof useForm<CronDraft>>; isParser: boolean }) {
  return (
    <div className="row wrap top">
      <Select
        label="If the previous run is unfinished"
        data={choicesOf(OVERLAP_WORDS)}
        allowDeselect={false}
        w={270}
        {...form.getInputProps('overlap')}
      />
      <NumberInput
        label="Pauses after failures"
        min={1}
        max={1000}
        allowDecimal={false}
        hideControls
        w={190}
        {...form.getInputProps('pauseAfter')}
      />
      <NumberInput
        label="A firing spends at most"
        w={160}
        {...CREDIT_LIMIT}
        {...form.getInputProps('maxCredits')}
      />
      {isParser && <KeepPagesSelect {...form.getInputProps('keepPages')} />}
    </div>
  );
}

function CronForm({ initial, cron }: { initial: CronDraft; cron?: Cron }) {
  const navigate = useNavigate();
  const form = useForm<CronDraft>({ initialValues: initial });
  const [isSinkChosen, setSinkChosen] = useState(initial.sink.table !== '');
  const proposed = useProposedSink(form.values.target, initial.sink.database ?? undefined);
  const draft = useMemo(
    () => (isSinkChosen || proposed === undefined ? form.values : { ...form.values, sink: proposed }),
    [form.values, proposed, isSinkChosen],
  );
  const setSink = (sink: SinkChoice): void => {
    setSinkChosen(true);
    form.setFieldValue('sink', sink);
  };
  const lack = lackOf(draft);
  const [type] = draft.target?.split(':') ?? [];
  const isApi = type === 'api';
  const isWorkflow = type === 'workflow';
  const price = useFiringPrice(draft, lack === undefined);
  const save = useChange(
    async () => {
      const sink = isWorkflow ? draft.sink : await madeSink(draft.sink);
      if (!isWorkflow) setSink(sink);
      const body = bodyOf({ ...draft, sink }, cron);
      return cron ? call('updateCron', { params: { id: cron.id }, body }) : call('createCron', { body });
    },
    {
      stale: ['listCrons', 'getCron'],
      onDone: (saved) => 'id' in saved && navigate({ to: '/crons/$cronId', params: { cronId: saved.id } }),
    },
  );
  const answer = price.data !== undefined && 'dry_run' in price.data ? price.data : undefined;
  return (
    <form className="form" onSubmit={form.onSubmit(() => save.mutate())}>
      <TextInput label="Name" placeholder="Prices every morning" {...form.getInputProps('name')} />
      <ScheduleField form={form} />
      <TargetSelect
        label="Read each page with"
        withWorkflows
        {...form.getInputProps('target')}
        value={draft.target}
      />
      <SourceFields isCron {...form.getInputProps('source')} value={draft.source}>
        <Textarea
          label={isApi ? 'Inputs, one JSON object a line' : 'Pages, one address a line'}
          placeholder={isApi ? '{"username": "…"}' : 'https://shop.example/kettles'}
          rows={5}
          classNames={{ input: 'mono' }}
          {...form.getInputProps('inputs')}
        />
      </SourceFields>
      {!isWorkflow && <SinkFields withDrift={!isApi} withHistory value={draft.sink} onChange={setSink} />}
      {type === 'parser' && (
        <FetchFields
          config={draft.config}
          onChange={(config) => form.setFieldValue('config', config)}
          error={save.error ?? price.error}
          otherwise="as the parser says"
        />
      )}
      <LimitFields form={form} isParser={!isWorkflow && !isApi} />
      {!save.isError && <Failure error={price.error} />}
      <Failure error={save.error} />
      <div className="row wrap">
        <Button type="submit" size="sm" disabled={lack !== undefined} loading={save.isPending}>
          {cron ? 'Save' : 'Create cron'}
        </Button>
        <span className="soft small" role="status">
          {lack ??
            (answer &&
              `Each firing reads ${plural(answer.inputs, 'page')} for at most ${plural(answer.credits.most, 'credit')}; failures cost nothing.`)}
        </span>
      </div>
    </form>
  );
}

/** A cron that isn't there yet. */
export function NewCronPage() {
  const search = useSearch({ from: '/app/crons/new' });
  const { url, batch, database } = search;
  const blank = newCronDraft(keyOfSearch(search), url ?? '');
  const initial = { ...blank, sink: { ...blank.sink, database: database ?? null } };
  const copied = useQuery({
    queryKey: ['copied-batch', batch],
    queryFn: () => copyBatch(batch ?? ''),
    enabled: batch !== undefined,
    refetchOnWindowFocus: false,
    staleTime: Infinity,
  });
  return (
    <Page title="New cron" crumbs={[<Link to="/crons">Crons</Link>]} padded>
      {batch === undefined ? (
        <CronForm initial={initial} />
      ) : (
        <Loaded query={copied} what="the pages of the batch">
          {(found) => (
            <div className="stack">
              {found.inputs === '' && (
                <Notice>
                  The addresses of this batch can’t be copied. Paste those that the cron should read.
                </Notice>
              )}
              <CronForm
                initial={{
                  ...initial,
                  name: found.batch.name ?? '',
                  inputs: found.inputs,
                  sink: choiceOfSink(found.batch.sink),
                }}
              />
            </div>
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
      crumbs={[
        <Link to="/crons">Crons</Link>,
        <Link to="/crons/$cronId" params={{ cronId }}>
          {query.data?.name ?? 'Cron'}
        </Link>,
      ]}
      padded
    >
      <Loaded query={query} what="the cron">
        {(cron) => <CronForm initial={draftOfCron(cron)} cron={cron} />}
      </Loaded>
    </Page>
  );
}
