import { Button, Checkbox, NumberInput, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDebouncedValue } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState, useEffect, useMemo } from 'react';
import { call, operationQuery, uploadBatch, type CallOutput } from '../api/call.ts';
import { FetchFields } from '../fetching/fetch-fields.tsx';
import { plural, formatNumber } from '../format/format.ts';
import { Page, Failure } from '../parts/page.tsx';
import { CREDIT_LIMIT } from '../targets/credit-limit.ts';
import { KeepPagesSelect } from '../targets/keep-pages-select.tsx';
import { madeSink, useProposedSink } from '../targets/proposed-sink.ts';
import { SinkFields } from '../targets/sink-fields.tsx';
import type { SinkChoice } from '../targets/sink.ts';
import { sourceOfChoice } from '../targets/source.ts';
import { SourceFields } from '../targets/source-fields.tsx';
import { TargetSelect } from '../targets/target-select.tsx';
import { InputsField, useInputs, type Inputs } from './inputs-field.tsx';
import { isApiTarget, lackOf, lackOfLines, newRunDraft, uploadFieldsOf, type RunDraft } from './run-draft.ts';
import { countInputs, formatOfInputs, type InputCount } from './count-inputs.ts';

type DryRun = Extract<CallOutput<'createBatch'>, { dry_run: true }>;

/** The tasks and the price of a batch before it starts. */
function DryRunNote({ answer }: { answer: DryRun }) {
  return (
    <div className="stack tight">
      <p className="soft">
        {plural(answer.inputs, 'page')} would run
        {answer.duplicates > 0 && `, ${formatNumber(answer.duplicates)} duplicates left out`}
        {answer.refused_count > 0 && `, ${formatNumber(answer.refused_count)} refused`}. Expected{' '}
        {plural(answer.credits.expected, 'credit')}, at most {formatNumber(answer.credits.most)}; failures
        cost nothing.
      </p>
      {answer.refused.length > 0 && (
        <details>
          <summary className="small">Show the refused inputs</summary>
          <ul className="small">
            {answer.refused.slice(0, 20).map(({ index, input, detail }) => (
              <li key={index}>
                {formatNumber(index + 1)}: <code>{input}</code> {detail}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

/** Counts inputs as soon as they are there, and again when they change. */
function useCount(inputs: Blob | undefined, checksUrls: boolean): InputCount | undefined {
  const [count, setCount] = useState<InputCount>();
  useEffect(() => {
    if (!inputs) {
      setCount(undefined);
      return undefined;
    }
    const controller = new AbortController();
    const run = async (): Promise<void> => {
      for await (const next of countInputs(inputs, { checksUrls, signal: controller.signal })) setCount(next);
    };
    run().catch(() => undefined);
    return () => controller.abort();
  }, [inputs, checksUrls]);
  return count;
}

type Batch = CallOutput<'getBatch'>;

/** The server checks larger files only at a person's request, or with the batch itself. */
const DRY_RUN_BYTES = 8_000_000;

/** What the batch would do and cost, read from the service while the form is filled. */
function useDryRun(draft: RunDraft, inputs: Inputs, fields: readonly string[]) {
  const [settled] = useDebouncedValue(draft, 400);
  const { blob, version } = inputs;
  const query = useQuery({
    queryKey: ['dry-run', settled, version, fields],
    queryFn: async () => {
      if (!blob) throw new Error('there is nothing to check');
      return (await uploadBatch(
        { ...uploadFieldsOf(settled, fields), dry_run: true },
        blob,
        await formatOfInputs(blob),
      )) as DryRun;
    },
    enabled:
      blob !== undefined &&
      blob.size <= DRY_RUN_BYTES &&
      settled.source.from === 'list' &&
      lackOf(settled, true) === undefined,
    staleTime: 30_000,
    retry: false,
  });
  // The price must be for the same input that runs.
  return { query, isSettled: inputs.isSettled && draft === settled && !query.isFetching };
}

/**
 * Starts the batch and opens its page.
 * @param fields of the parser
 * @param onSink takes the sink, whose database may have been made for this batch
 */
function useStart(
  draft: RunDraft,
  { blob, fields }: { blob: Blob | undefined; fields: readonly string[] },
  onSink: (sink: SinkChoice) => void,
) {
  const navigate = useNavigate();
  return useMutation({
    mutationFn: async () => {
      const sink = await madeSink(draft.sink);
      // What was made is not made again when the run is refused.
      onSink(sink);
      const sent = uploadFieldsOf({ ...draft, sink }, fields);
      const source = sourceOfChoice(draft.source, false);
      if (source) return (await call('createBatch', { body: { ...sent, ...source } })) as Batch;
      if (!blob) throw new Error('there is nothing to run');
      return (await uploadBatch(sent, blob, await formatOfInputs(blob))) as Batch;
    },
    onSuccess: ({ id }) => navigate({ to: '/runs/batches/$batchId', params: { batchId: id } }),
  });
}

const NO_FIELDS: readonly string[] = [];

/** The fields of the chosen parser, when columns of the inputs stand beside them; undefined until they are known. */
function useFields({ target, carry }: RunDraft): readonly string[] | undefined {
  const [type, id = ''] = target?.split(':') ?? [];
  const isNeeded = type === 'parser' && carry.length > 0;
  const query = useQuery({ ...operationQuery('getParser', { params: { id } }), enabled: isNeeded });
  return useMemo(() => {
    if (!isNeeded || query.isError) return NO_FIELDS;
    return query.data && Object.keys(query.data.schema.fields);
  }, [isNeeded, query.isError, query.data]);
}

/** How pages are fetched, kept and paid, which prebuilt APIs say themselves. */
function PageFields({ form, error }: { form: ReturnType<typeof useForm<RunDraft>>; error: Error | null }) {
  return (
    <>
      <FetchFields
        config={form.values.config}
        onChange={(config) => form.setFieldValue('config', config)}
        error={error}
        otherwise="as the parser says"
      />
      <div className="row wrap bottom">
        <NumberInput label="Spend at most" w={140} {...CREDIT_LIMIT} {...form.getInputProps('maxCredits')} />
        <KeepPagesSelect {...form.getInputProps('keepPages')} />
      </div>
    </>
  );
}

/** A batch from pasted lines or a file: counted while it is read, priced before the button is pressed. */
export function NewRunPage() {
  const search = useSearch({ from: '/app/runs/new' });
  const form = useForm<RunDraft>({ initialValues: newRunDraft(search) });
  const [isSinkChosen, setSinkChosen] = useState(false);
  const proposed = useProposedSink(form.values.target, search.database);
  const isApi = isApiTarget(form.values.target);
  const inputs = useInputs();
  const { blob } = inputs;
  const count = useCount(blob, !isApi);
  const columns = count?.columns;
  const draft = useMemo(
    () => ({
      ...form.values,
      ...(isSinkChosen || proposed === undefined ? {} : { sink: proposed }),
      carry: form.values.carry.filter((name) => columns?.includes(name)),
    }),
    [form.values, proposed, isSinkChosen, columns],
  );
  const fields = useFields(draft);
  const setSink = (sink: SinkChoice): void => {
    setSinkChosen(true);
    form.setFieldValue('sink', sink);
  };
  const { query: dryRun, isSettled } = useDryRun(draft, inputs, fields ?? NO_FIELDS);
  const isList = form.values.source.from === 'list';
  const refused = isList ? Math.max(count?.refused ?? 0, dryRun.data?.refused_count ?? 0) : 0;
  const lack = lackOf(draft, blob !== undefined) ?? lackOfLines(refused);
  const create = useStart(draft, { blob, fields: fields ?? NO_FIELDS }, setSink);
  const canRun = lack === undefined && isSettled && fields !== undefined;
  return (
    <Page title="New batch" crumbs={[<Link to="/runs">Runs</Link>]} padded>
      <form className="form" onSubmit={form.onSubmit(() => create.mutate())}>
        <TargetSelect
          label="Read each page with"
          {...form.getInputProps('target')}
          value={form.values.target}
        />
        <SourceFields {...form.getInputProps('source')} value={form.values.source}>
          <InputsField
            isApi={isApi}
            inputs={inputs}
            count={count}
            carry={draft.carry}
            onCarry={(carry) => form.setFieldValue('carry', carry)}
          />
        </SourceFields>
        <TextInput label="Name" placeholder="Optional" {...form.getInputProps('name')} />
        <SinkFields
          without="this batch, for 24 hours"
          withDrift={!isApi}
          value={draft.sink}
          onChange={setSink}
        />
        {!isApi && <PageFields form={form} error={dryRun.error ?? create.error} />}
        <Checkbox label="Skip duplicate addresses" {...form.getInputProps('dedupe', { type: 'checkbox' })} />
        <Failure error={dryRun.error} />
        {dryRun.data && isList && <DryRunNote answer={dryRun.data} />}
        <Failure error={create.error} />
        <div className="row">
          <Button type="submit" size="sm" disabled={!canRun} loading={create.isPending}>
            {dryRun.data && isList ? `Run for at most ${plural(dryRun.data.credits.most, 'credit')}` : 'Run'}
          </Button>
          <span className="soft small">{lack}</span>
        </div>
      </form>
    </Page>
  );
}
