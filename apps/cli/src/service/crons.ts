import { OVERLAPS, type Overlap } from '@gleaner/contracts/values';
import { Option, type Command } from 'commander';
import { Fault } from '../fault.ts';
import { wholeNumber } from '../numbers.ts';
import { print, printJson, show } from '../terminal/output.ts';
import { connect, findId, serviceCommand, type ServiceFlags } from './service-command.ts';
import { withFetchOptions } from './fetch-options.ts';
import { printDryRun } from './print-dry-run.ts';
import { readInputFile } from './read-inputs.ts';
import { GROUPS, printCron } from './records.ts';
import { sourceOf, withSourceOptions, type SourceFlags } from './source-options.ts';
import { withSinkOptions, withTargetOptions, workOf, type WorkFlags } from './target-options.ts';

interface CreateFlags extends ServiceFlags, WorkFlags, SourceFlags {
  name: string;
  description?: string;
  schedule: string;
  timezone?: string;
  overlap?: Overlap;
  page?: string;
  inputs?: string;
  maxCredits?: number;
  paused?: boolean;
  dryRun?: boolean;
}

async function create(flags: CreateFlags): Promise<void> {
  const { name, description = name, schedule, timezone, overlap, page, inputs } = flags;
  const source = sourceOf(flags);
  if ([page, inputs, source].filter((one) => one !== undefined).length !== 1)
    throw new Fault('One of --page, --inputs, --sitemap and --feed is required.');
  const client = connect(flags);
  const made = await client.crons.create({
    ...(await workOf(client, flags)),
    name,
    description,
    schedule,
    url: page,
    ...source,
    inputs: inputs === undefined ? undefined : await readInputFile(inputs),
    timezone,
    overlap,
    max_credits: flags.maxCredits,
    enabled: flags.paused === true ? false : undefined,
    dry_run: flags.dryRun,
  });
  if ('dry_run' in made) printDryRun(made, flags);
  else show(made, flags.json, printCron);
}

export function registerCrons(program: Command): void {
  const crons = program.command('crons').description(GROUPS.crons.about);
  registerCreation(crons);
  serviceCommand(crons, 'preview', 'the next 10 times of a schedule', [
    "crons preview '0 6 * * MON-FRI' --timezone Europe/Berlin",
  ])
    .argument('<schedule>', 'five fields')
    .option('--timezone <name>', 'IANA name')
    .action(async (schedule: string, flags: ServiceFlags & { timezone?: string }) => {
      const answer = await connect(flags).crons.preview({ schedule, timezone: flags.timezone });
      if (flags.json === true) return printJson(answer);
      for (const time of answer.times) print(time);
    });
  for (const [name, enabled] of [
    ['pause', false],
    ['resume', true],
  ] as const) {
    serviceCommand(crons, name, `${name} a cron`, [`crons ${name} prices`])
      .argument('<cron>', 'id, slug or name')
      .action(async (cron: string, flags: ServiceFlags) => {
        const client = connect(flags);
        const changed = await client.crons.update(await findId(client, 'crons', cron), { enabled });
        show(changed, flags.json, printCron);
      });
  }
}

function registerCreation(crons: Command): void {
  const command = serviceCommand(crons, 'create', 'run a target on a schedule, into a table', [
    "crons create --name prices --schedule '0 6 * * *' -p products --page https://shop.example/ --database shop --table prices",
    "crons create --name news --schedule '0 * * * *' -p articles --feed https://news.example/rss --since last_run --database news --table articles",
  ])
    .requiredOption('--name <name>', 'its name')
    .requiredOption('--schedule <fields>', 'five fields: minute, hour, day of month, month, day of week')
    .option('--description <text>', 'what it is for')
    .option('--timezone <name>', 'IANA name, such as Europe/Berlin')
    .option('--page <address>', 'the page')
    .option('--inputs <file>', 'or a file of inputs; - is standard input')
    .addOption(new Option('--overlap <rule>', 'when the previous run is unfinished').choices(OVERLAPS))
    .option('--max-credits <n>', 'maximum credits of one firing', wholeNumber(1, 1e9))
    .option('--paused', 'create it paused')
    .option('--dry-run', 'report what one firing would do, and store nothing');
  const since = 'last_run: only what no earlier run has taken; or a time';
  withSourceOptions(withSinkOptions(withFetchOptions(withTargetOptions(command))), since).action(create);
}
