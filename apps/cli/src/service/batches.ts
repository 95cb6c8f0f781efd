import { RUN_STATES, hasEnded } from '@gleaner/contracts';
import { Option, type Command } from 'commander';
import { wholeNumber } from '../commands/numbers.ts';
import { print, printJson, printRows } from '../terminal/output.ts';
import { batchRow, noteEnd, printBatch, saveDownload } from './batch-output.ts';
import { exportQuery, withExport, type ExportFlags } from './export-flags.ts';
import { connect } from './connection.ts';
import { withFetchOptions } from './fetch-options.ts';
import { mostOf, take, withLimit, type ListFlags } from './listing.ts';
import { INPUT_FORMATS } from './read-inputs.ts';
import { serviceCommand, type ServiceFlags } from './service-command.ts';
import { followBatch, submitBatch, type FollowFlags } from './submit-batch.ts';
import { withSinkOptions, withTargetOptions } from './target-options.ts';

export function registerBatches(program: Command): void {
  const batch = program.command('batch').description('batches: one target over many inputs');
  registerSubmit(batch);
  withFollowOptions(
    serviceCommand(batch, {
      name: 'watch',
      description: 'follow a batch to its end',
      examples: ['batch watch bat_01…', 'batch watch bat_01… --csv > out.csv'],
    }).argument('<batch>', 'identifier'),
  ).action((id: string, flags: FollowFlags) => followBatch(connect(flags), id, flags));
  registerReading(batch);
  registerChanges(batch);
}

function withFollowOptions(command: Command): Command {
  return command
    .optionsGroup('Following:')
    .option('--csv', 'write the results as CSV when the batch has ended')
    .option('--ndjson', 'write them as NDJSON, one object per line')
    .option('-o, --output <file>', 'write them to this file instead of standard output')
    .option('--strict', 'exit with 7 when any input failed, not only when all did')
    .option('-q, --quiet', 'no progress');
}

function registerSubmit(batch: Command): void {
  const submit = serviceCommand(batch, {
    name: 'submit',
    description: 'run a parser or a prebuilt API over many inputs',
    examples: [
      'batch submit urls.txt --parser products',
      'batch submit urls.txt --parser products --dry-run',
      'batch submit names.csv --api photoapp-profile --database crm --table people --watch',
      'cat urls | gleaner batch submit --parser products --watch --csv > out.csv',
    ],
  }).argument('[file]', 'one URL or JSON object per line, or CSV; - is standard input', '-');
  withTargetOptions(submit)
    .addOption(new Option('--format <format>', 'of the file; default by its name').choices(INPUT_FORMATS))
    .option('--name <name>', 'name of the batch')
    .option('--max-credits <n>', 'maximum credits that it may charge', wholeNumber(1, 1e9))
    .option('--dedupe', 'keep the first of equal inputs')
    .option('--webhook-url <address>', 'report the end of the batch to this address')
    .option('--idempotency-key <key>', 'the same key creates nothing twice within 24 hours')
    .option('--dry-run', 'report what it would do and cost, and do nothing')
    .option('-w, --watch', 'follow the batch to its end; Ctrl-C leaves it running');
  withSinkOptions(withFollowOptions(withFetchOptions(submit))).action(submitBatch);
}

function registerReading(batch: Command): void {
  withLimit(
    serviceCommand(batch, { name: 'list', description: 'batches, newest first', examples: ['batch list'] }),
  )
    .addOption(new Option('--status <status>', 'only these').choices(RUN_STATES))
    .action(async (flags: ListFlags & { status?: 'running' }) => {
      const query = flags.status === undefined ? {} : { status: flags.status };
      const batches = await take(connect(flags).batches.list({ limit: 100, ...query }), flags);
      if (flags.json === true) printJson({ batches });
      else printRows(batches.map(batchRow));
    });
  serviceCommand(batch, { name: 'get', description: 'one batch', examples: ['batch get bat_01…'] })
    .argument('<batch>', 'identifier')
    .action(async (id: string, flags: ServiceFlags) =>
      printBatch(await connect(flags).batches.get(id), flags.json),
    );
  withLimit(
    serviceCommand(batch, {
      name: 'results',
      description: 'results as NDJSON, in input order',
      examples: ["batch results bat_01… --all | jq -r '.data.title'"],
    }).argument('<batch>', 'identifier'),
  ).action(async (id: string, flags: ListFlags) => {
    const { batches } = connect(flags);
    let count = 0;
    // Over the pages that are there: following a batch that still runs is the task of `batch watch`.
    for (let cursor: string | undefined; ;) {
      const page = await batches.results(id, { limit: 100, ...(cursor === undefined ? {} : { cursor }) });
      for (const result of page.results) {
        if (count >= mostOf(flags)) return;
        count += 1;
        print(JSON.stringify(result));
      }
      if (page.cursor === undefined || page.results.length === 0) return;
      ({ cursor } = page);
    }
  });
  withLimit(
    serviceCommand(batch, {
      name: 'failures',
      description: 'failed inputs with their causes',
      examples: ['batch failures bat_01…', 'batch failures bat_01… --all | cut -f1 > again.txt'],
    }).argument('<batch>', 'identifier'),
  ).action(async (id: string, flags: ListFlags) => {
    const failures = await take(connect(flags).batches.failures(id, { limit: 100 }), flags);
    if (flags.json === true) printJson({ failures });
    else {
      printRows(
        failures.map(({ url, input, error, detail, attempts }) => ({
          input: input ?? url,
          error,
          detail,
          attempts,
        })),
      );
    }
  });
  withExport(
    serviceCommand(batch, {
      name: 'export',
      description: 'all results as one stream',
      examples: ['batch export bat_01… > out.csv', 'batch export bat_01… --format parquet -o out.parquet'],
    }).argument('<batch>', 'identifier'),
    'results',
  ).action(async (id: string, flags: ServiceFlags & ExportFlags) => {
    const query = exportQuery(flags);
    await saveDownload(await connect(flags).batches.export(id, query), flags.output);
  });
}

function registerChanges(batch: Command): void {
  serviceCommand(batch, { name: 'cancel', description: 'stop a batch', examples: ['batch cancel bat_01…'] })
    .argument('<batch>', 'identifier')
    .action(async (id: string, flags: ServiceFlags) =>
      printBatch(await connect(flags).batches.cancel(id), flags.json),
    );
  serviceCommand(batch, {
    name: 'retry',
    description: 'run the failed inputs again',
    examples: ['batch retry bat_01… && gleaner batch watch bat_01…'],
  })
    .argument('<batch>', 'identifier')
    .action(async (id: string, flags: ServiceFlags) => {
      const client = connect(flags);
      const retried = await client.batches.retry(id, {});
      printBatch(retried, flags.json);
      if (!hasEnded(retried.status)) await noteEnd(client, retried);
    });
}
