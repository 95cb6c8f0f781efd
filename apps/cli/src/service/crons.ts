import { OVERLAPS, type Overlap } from '@gleaner/contracts';
import { Option, type Command } from 'commander';
import type { Cron } from '@gleaner/client';
import { Fault } from '../fault.ts';
import { wholeNumber } from '../commands/numbers.ts';
import { note, print, printFields, printJson, printRows } from '../terminal/output.ts';
import type { Row } from '../terminal/table.ts';
import { connect } from './connection.ts';
import { scrapeConfigOf, withFetchOptions, type FetchFlags } from './fetch-options.ts';
import { collect, take, withLimit, type ListFlags } from './listing.ts';
import { findCronId } from './named.ts';
import { openInput } from './read-file.ts';
import { readInputs } from './read-inputs.ts';
import { serviceCommand, type ServiceFlags } from './service-command.ts';
import {
  sinkOf,
  targetOf,
  withSinkOptions,
  withTargetOptions,
  type SinkFlags,
  type TargetFlags,
} from './target-options.ts';

interface CreateFlags extends ServiceFlags, TargetFlags, SinkFlags, FetchFlags {
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

function cronRow({ id, name, schedule, timezone, enabled, next_run_at, last_firing }: Cron): Row {
  return {
    id,
    name,
    schedule,
    timezone,
    enabled: enabled ? 'yes' : 'no',
    next: next_run_at,
    last: last_firing?.outcome,
  };
}

function printCron(cron: Cron, json: boolean | undefined): void {
  if (json === true) return printJson(cron);
  const { description, target, input_count, sink, overlap, paused_reason, failures } = cron;
  printFields({
    ...cronRow(cron),
    description,
    target,
    inputs: input_count,
    sink,
    overlap,
    failures,
    ...(paused_reason === null ? {} : { 'paused because': paused_reason }),
  });
}

async function create(flags: CreateFlags): Promise<void> {
  const { name, description, schedule, timezone, overlap, page, inputs, maxCredits, paused, dryRun } = flags;
  if ((page === undefined) === (inputs === undefined))
    throw new Fault('One of --page and --inputs is required.');
  const client = connect(flags);
  const config = scrapeConfigOf(flags);
  const sink = await sinkOf(client, flags);
  const made = await client.crons.create({
    name,
    description: description ?? name,
    schedule,
    target: await targetOf(client, flags),
    ...(page === undefined ? {} : { url: page }),
    ...(inputs === undefined ? {} : { inputs: await collect(readInputs(await openInput(inputs, 'inputs'))) }),
    ...(timezone === undefined ? {} : { timezone }),
    ...(overlap === undefined ? {} : { overlap }),
    ...(sink === undefined ? {} : { sink }),
    ...(maxCredits === undefined ? {} : { max_credits: maxCredits }),
    ...(Object.keys(config).length === 0 ? {} : { scrape_config: config }),
    ...(paused === true ? { enabled: false } : {}),
    ...(dryRun === true ? { dry_run: dryRun } : {}),
  });
  if ('dry_run' in made) printJson(made);
  else printCron(made, flags.json);
}

export function registerCrons(program: Command): void {
  const crons = program.command('crons').description('crons: a target, its inputs and a schedule');
  registerCreation(crons);
  withLimit(
    serviceCommand(crons, { name: 'list', description: 'crons, newest first', examples: ['crons list'] }),
  ).action(async (flags: ListFlags) => {
    const records = await take(connect(flags).crons.list({ limit: 100 }), flags);
    if (flags.json === true) printJson({ crons: records });
    else printRows(records.map(cronRow));
  });
  registerReading(crons);
  registerChanges(crons);
}

function registerCreation(crons: Command): void {
  const command = serviceCommand(crons, {
    name: 'create',
    description: 'run a target on a schedule, into a table',
    examples: [
      "crons create --name prices --schedule '0 6 * * *' -p products --page https://shop.example/ --database shop --table prices",
    ],
  })
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
  withSinkOptions(withFetchOptions(withTargetOptions(command))).action(create);
}

function registerReading(crons: Command): void {
  serviceCommand(crons, { name: 'get', description: 'one cron', examples: ['crons get prices'] })
    .argument('<cron>', 'identifier or name')
    .action(async (cron: string, flags: ServiceFlags) => {
      const client = connect(flags);
      printCron(await client.crons.get(await findCronId(client, cron)), flags.json);
    });
  withLimit(
    serviceCommand(crons, {
      name: 'runs',
      description: 'firings of a cron, newest first',
      examples: ['crons runs prices'],
    }).argument('<cron>', 'identifier or name'),
  ).action(async (cron: string, flags: ListFlags) => {
    const client = connect(flags);
    const runs = await take(client.crons.listRuns(await findCronId(client, cron), { limit: 100 }), flags);
    if (flags.json === true) return printJson({ runs });
    printRows(
      runs.map(({ scheduled_at, outcome, reason, cause, run_id }) => ({
        scheduled: scheduled_at,
        outcome,
        reason,
        cause,
        run: run_id,
      })),
    );
  });
  serviceCommand(crons, {
    name: 'preview',
    description: 'the next 10 times of a schedule',
    examples: ["crons preview '0 6 * * MON-FRI' --timezone Europe/Berlin"],
  })
    .argument('<schedule>', 'five fields')
    .option('--timezone <name>', 'IANA name')
    .action(async (schedule: string, flags: ServiceFlags & { timezone?: string }) => {
      const { timezone } = flags;
      const answer = await connect(flags).crons.preview({
        schedule,
        ...(timezone === undefined ? {} : { timezone }),
      });
      if (flags.json === true) return printJson(answer);
      for (const time of answer.times) print(time);
    });
}

function registerChanges(crons: Command): void {
  for (const [name, enabled] of [
    ['pause', false],
    ['resume', true],
  ] as const) {
    serviceCommand(crons, { name, description: `${name} a cron`, examples: [`crons ${name} prices`] })
      .argument('<cron>', 'identifier or name')
      .action(async (cron: string, flags: ServiceFlags) => {
        const client = connect(flags);
        printCron(await client.crons.update(await findCronId(client, cron), { enabled }), flags.json);
      });
  }
  serviceCommand(crons, {
    name: 'trigger',
    description: 'fire a cron now',
    examples: ['crons trigger prices'],
  })
    .argument('<cron>', 'identifier or name')
    .action(async (cron: string, flags: ServiceFlags) => {
      const client = connect(flags);
      const firing = await client.crons.trigger(await findCronId(client, cron));
      if (flags.json === true) return printJson(firing);
      printFields({ outcome: firing.outcome, reason: firing.reason, run: firing.run_id });
      if (firing.run_id?.startsWith('bat_') === true) note(`gleaner batch watch ${firing.run_id}`);
    });
  serviceCommand(crons, { name: 'delete', description: 'delete a cron', examples: ['crons delete prices'] })
    .argument('<cron>', 'identifier or name')
    .action(async (cron: string, flags: ServiceFlags) => {
      const client = connect(flags);
      const id = await findCronId(client, cron);
      await client.crons.delete(id);
      note(`${id} is deleted.`);
    });
}
