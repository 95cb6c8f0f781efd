import type { ProxyTier } from '@gleaner/contracts/values';
import { Button, Checkbox, FileButton, NumberInput, Select, Textarea, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useState, type DragEvent } from 'react';
import { uploadBatch, type CallOutput } from '../api/call.ts';
import { formatBytes, formatNumber, plural } from '../format/number.ts';
import { choicesOf } from '../parts/choices.ts';
import { Page } from '../parts/page.tsx';
import { Failure } from '../parts/states.tsx';
import { KeepPagesSelect } from '../targets/keep-pages-select.tsx';
import { SinkFields, sinkOfChoice, type SinkChoice } from '../targets/sink-fields.tsx';
import { TargetSelect } from '../targets/target-select.tsx';
import { DryRunNote, type DryRun } from './dry-run-note.tsx';
import { useCount } from './use-count.ts';

type Batch = CallOutput<'getBatch'>;

/** The server checks larger files only at a person's request, or with the batch itself. */
const DRY_RUN_BYTES = 8_000_000;

const PROXIES = {
  default: 'Default',
  highquality: 'High quality',
  premium: 'Premium',
  hardcore: 'Hardcore (always a browser)',
} satisfies Record<ProxyTier, string>;

/** A batch from pasted lines or a file: counted while it is read, priced before the button is pressed. */
export function NewRunPage() {
  const search = useSearch({ from: '/app/runs/new' });
  const navigate = useNavigate();
  const [target, setTarget] = useState<string | null>(
    search.parser === undefined
      ? search.api === undefined
        ? null
        : `api:${search.api}`
      : `parser:${search.parser}`,
  );
  const [text, setText] = useState('');
  const [file, setFile] = useState<File | null>(null);
  const [name, setName] = useState('');
  const [usesBrowser, setUsesBrowser] = useState(false);
  const [dedupe, setDedupe] = useState(true);
  const [proxy, setProxy] = useState('default');
  const [maxCredits, setMaxCredits] = useState<number | undefined>();
  const [keepPages, setKeepPages] = useState('failed');
  const [sink, setSink] = useState<SinkChoice>({
    database: search.database ?? null,
    table: '',
  });
  const [isOver, setOver] = useState(false);

  const [settledText] = useDebouncedValue(text, 300);
  const inputs = useMemo(
    () => file ?? (settledText.trim() === '' ? undefined : new Blob([settledText])),
    [file, settledText],
  );
  const isApi = target?.startsWith('api:') === true;
  const count = useCount(inputs, !isApi);
  const fields = useMemo(() => {
    const [, id = ''] = target?.split(':') ?? [];
    return {
      target: isApi ? ({ type: 'api', id } as const) : ({ type: 'parser', parserId: id } as const),
      name: name.trim() === '' ? undefined : name.trim(),
      sink: sinkOfChoice(sink),
      dedupe,
      max_credits: maxCredits,
      keep_pages: isApi ? undefined : keepPages,
      scrape_config: isApi
        ? undefined
        : { ...(usesBrowser ? { useBrowser: true } : {}), ...(proxy === 'default' ? {} : { proxy }) },
    };
  }, [target, isApi, name, sink, dedupe, maxCredits, keepPages, usesBrowser, proxy]);
  const [settledFields] = useDebouncedValue(fields, 400);
  const canAsk = target !== null && inputs !== undefined && (sink.database === null || sink.table !== '');
  const dryRun = useQuery({
    queryKey: [
      'dry-run',
      settledFields,
      file === null ? settledText : `${file.name} ${file.size} ${file.lastModified}`,
    ],
    queryFn: async () => {
      if (!inputs) throw new Error('there is nothing to check');
      return (await uploadBatch({ ...settledFields, dry_run: true }, inputs)) as DryRun;
    },
    enabled: canAsk && inputs.size <= DRY_RUN_BYTES,
    staleTime: 30_000,
    retry: false,
  });
  // The price must be for the same input that runs.
  const isSettled = text === settledText && fields === settledFields && !dryRun.isFetching;
  const create = useMutation({
    mutationFn: async () => {
      if (!inputs) throw new Error('there is nothing to run');
      return (await uploadBatch(fields, inputs)) as Batch;
    },
    onSuccess: ({ id }) => navigate({ to: '/runs/batches/$batchId', params: { batchId: id } }),
  });
  const missing =
    target === null
      ? 'Choose what reads the pages.'
      : inputs === undefined
        ? `Paste ${isApi ? 'inputs' : 'addresses'} first.`
        : 'Name the table that gets the rows.';
  const answer = dryRun.data;
  const price = answer === undefined ? 'Run' : `Run for at most ${plural(answer.credits.most, 'credit')}`;
  const onDrop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    const [dropped] = event.dataTransfer.files;
    if (dropped) setFile(dropped);
  };
  return (
    <Page title="New batch" crumbs={<Link to="/runs">Runs</Link>} padded>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (canAsk && isSettled) create.mutate();
        }}
      >
        <TargetSelect label="Read each page with" value={target} onChange={setTarget} />
        <div
          className={isOver ? 'drop over' : 'drop'}
          onDragOver={(event) => {
            event.preventDefault();
            setOver(true);
          }}
          onDragLeave={() => setOver(false)}
          onDrop={onDrop}
        >
          {file ? (
            <div className="row">
              <span className="grow truncate">
                {file.name} <span className="soft">{formatBytes(file.size)}</span>
              </span>
              <Button variant="default" onClick={() => setFile(null)}>
                Remove
              </Button>
            </div>
          ) : (
            <Textarea
              label={isApi ? 'Inputs, one JSON object a line' : 'Addresses, one a line'}
              description="Or drop a file of lines, NDJSON or CSV with a url column: up to a million."
              placeholder={isApi ? '{"username": "…"}' : 'https://shop.example/p/1\nhttps://shop.example/p/2'}
              rows={9}
              classNames={{ input: 'mono' }}
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
              data-search
            />
          )}
          <div className="row" style={{ marginTop: 8 }}>
            <span className="grow small" role="status">
              {inputs === undefined ? (
                <span className="soft">{isApi ? 'No inputs yet' : 'No addresses yet'}</span>
              ) : (
                <>
                  {plural(
                    count.lines - count.refused,
                    isApi ? 'input' : 'address',
                    isApi ? 'inputs' : 'addresses',
                  )}
                  {count.refused > 0 && (
                    <span className="bad-text">, {formatNumber(count.refused)} refused</span>
                  )}
                  {!count.isDone && ' …'}
                </>
              )}
            </span>
            <FileButton onChange={setFile} accept=".txt,.csv,.ndjson,.jsonl,text/plain,text/csv">
              {(props) => (
                <Button variant="default" {...props}>
                  Choose a file
                </Button>
              )}
            </FileButton>
          </div>
          {count.examples.length > 0 && (
            <details>
              <summary className="small">Show the refused lines</summary>
              <ul className="small">
                {count.examples.map(({ line, text: refused }) => (
                  <li key={line}>
                    Line {formatNumber(line)}: <code>{refused}</code> is not an http address
                  </li>
                ))}
              </ul>
            </details>
          )}
        </div>
        <TextInput
          label="Name"
          placeholder="So that you find it again"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <SinkFields value={sink} onChange={setSink} without="this batch, for 24 hours" withDrift={!isApi} />
        {!isApi && (
          <div className="row wrap" style={{ alignItems: 'flex-end', gap: 16 }}>
            <Select
              label="Proxy"
              data={choicesOf(PROXIES)}
              value={proxy}
              allowDeselect={false}
              onChange={(tier) => setProxy(tier ?? 'default')}
              w={200}
            />
            <NumberInput
              label="Spend at most"
              placeholder="no limit"
              suffix=" credits"
              min={1}
              allowDecimal={false}
              hideControls
              w={140}
              value={maxCredits ?? ''}
              onChange={(value) => setMaxCredits(typeof value === 'number' ? value : undefined)}
            />
            <KeepPagesSelect value={keepPages} onChange={setKeepPages} />
          </div>
        )}
        <div className="stack" style={{ gap: 8 }}>
          {!isApi && (
            <Checkbox
              label="Run each page’s scripts in a browser first"
              checked={usesBrowser}
              onChange={(event) => setUsesBrowser(event.currentTarget.checked)}
            />
          )}
          <Checkbox
            label="Read equal addresses only once"
            checked={dedupe}
            onChange={(event) => setDedupe(event.currentTarget.checked)}
          />
        </div>
        {dryRun.error !== null && <Failure error={dryRun.error} />}
        {answer && <DryRunNote answer={answer} />}
        {create.error !== null && <Failure error={create.error} />}
        <div className="row">
          <Button type="submit" size="sm" disabled={!canAsk || !isSettled} loading={create.isPending}>
            {price}
          </Button>
          {!canAsk && <span className="soft small">{missing}</span>}
        </div>
      </form>
    </Page>
  );
}
