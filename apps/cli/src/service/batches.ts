import { Option, type Command } from 'commander';
import { wholeNumber } from '../numbers.ts';
import { saveDownload } from './batch-output.ts';
import { exportQuery, withExport, type ExportFlags } from './export-flags.ts';
import { connect, serviceCommand, type ServiceFlags } from './service-command.ts';
import { withFetchOptions } from './fetch-options.ts';
import { INPUT_FORMATS } from './read-inputs.ts';
import { GROUPS } from './records.ts';
import { withFollowOptions, type FollowFlags } from './follow-options.ts';
import { followBatch, submitBatch } from './submit-batch.ts';
import { SINCE_TIME, withSourceOptions } from './source-options.ts';
import { withSinkOptions, withTargetOptions } from './target-options.ts';

export function registerBatches(program: Command): void {
  const batch = program.command('batch').description(GROUPS.batches.about);
  registerSubmit(batch);
  withFollowOptions(
    serviceCommand(batch, 'watch', 'follow a batch to its end', [
      'batch watch bat_01…',
      'batch watch bat_01… --csv > out.csv',
    ]).argument('<batch>', 'identifier'),
    'batch',
  ).action((id: string, flags: FollowFlags) => followBatch(connect(flags), id, flags));
  withExport(
    serviceCommand(batch, 'export', 'all results as one stream', [
      'batch export bat_01… > out.csv',
      'batch export bat_01… --format parquet -o out.parquet',
    ]).argument('<batch>', 'identifier'),
    'results',
  ).action(async (id: string, flags: ServiceFlags & ExportFlags) => {
    const query = exportQuery(flags);
    await saveDownload(await connect(flags).batches.export(id, query), flags.output);
  });
}

function registerSubmit(batch: Command): void {
  const submit = serviceCommand(batch, 'submit', 'run a parser or a prebuilt API over many inputs', [
    'batch submit urls.txt --parser products',
    'batch submit urls.txt --parser products --dry-run',
    'batch submit names.csv --api photoapp-profile --database crm --table people --watch',
    'batch submit --sitemap https://shop.example/sitemap.xml --parser products --watch',
    'cat urls | gleaner batch submit --parser products --watch --csv > out.csv',
  ]).argument('[file]', 'one URL or JSON object per line, or CSV; - is standard input', '-');
  withSourceOptions(withTargetOptions(submit), SINCE_TIME)
    .addOption(new Option('--format <format>', 'of the file; default by its name').choices(INPUT_FORMATS))
    .option('--name <name>', 'name of the batch')
    .option('--max-credits <n>', 'maximum credits that it may charge', wholeNumber(1, 1e9))
    .option('--dedupe', 'keep the first of equal inputs')
    .option('--skip-invalid', 'leave out invalid inputs and name them')
    .option('--webhook-url <address>', 'report the end of the batch to this address')
    .option('--idempotency-key <key>', 'the same key creates nothing twice within 24 hours')
    .option('--dry-run', 'report what it would do and cost, and do nothing')
    .option('-w, --watch', 'follow the batch to its end; Ctrl-C leaves it running');
  withSinkOptions(withFollowOptions(withFetchOptions(submit), 'batch')).action(submitBatch);
}
