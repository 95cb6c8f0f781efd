import type { Command } from 'commander';
import type { Client, CreateWorkflowInput, WorkflowRun } from '@gleaner/client';
import { EXIT, ExitCode } from '../exit-codes.ts';
import { note, printRows, show } from '../terminal/output.ts';
import { comeBackCommand } from './come-back.ts';
import { connect, collect, findId, serviceCommand, type ServiceFlags } from './service-command.ts';
import { readJsonObject } from '../read-file.ts';
import { printDryRun } from './print-dry-run.ts';
import { readInputFile } from './read-inputs.ts';
import { GROUPS, printRun, workflowRow } from './records.ts';
import { SINCE_TIME, sourceOf, withSourceOptions, type SourceFlags } from './source-options.ts';
import { watchRun } from './watch-run.ts';

interface RunFlags extends ServiceFlags {
  dryRun?: boolean;
  watch?: boolean;
  quiet?: boolean;
}

interface StartFlags extends RunFlags, SourceFlags {}

/** Follows a workflow run or a crawl to its end with a progress bar. @throws ExitCode 130 after Ctrl-C */
export function watchWorkflowRun(client: Client, id: string, flags: RunFlags): Promise<WorkflowRun> {
  return watchRun<WorkflowRun>(
    {
      id,
      what: 'run',
      waitFor: (options) => client.workflowRuns.waitFor(id, options),
      remarkOf: ({ paused }) => (paused === null ? undefined : `paused: ${paused.reason}`),
    },
    {
      isQuiet: flags.quiet === true,
      comeBack: comeBackCommand(['runs', 'watch', id], { json: flags.json, service: flags.service }),
    },
  );
}

async function followRun(client: Client, id: string, flags: RunFlags): Promise<void> {
  const run = await watchWorkflowRun(client, id, flags);
  show(run, flags.json, printRun);
  if (run.source?.error != null) note(`Its source failed: ${run.source.error}`);
  if (run.counts.failed > 0 && flags.quiet !== true) note(`Its failures: gleaner runs failures ${id}`);
  if (run.status !== 'succeeded') throw new ExitCode(EXIT.runFailed);
}

/** The inputs of a run: those of a source, or of a file. */
async function inputsOf(path: string, flags: StartFlags) {
  const source = sourceOf(flags);
  if (source !== undefined) return source;
  const inputs = await readInputFile(path);
  const urls = inputs.filter((input) => typeof input === 'string');
  return urls.length === inputs.length
    ? { urls }
    : { inputs: inputs.map((input) => (typeof input === 'string' ? { url: input } : input)) };
}

async function startRun(workflow: string, path: string, flags: StartFlags): Promise<void> {
  const client = connect(flags);
  const id = await findId(client, 'workflows', workflow);
  const inputs = await inputsOf(path, flags);
  const made = await client.workflows.createRun(id, { ...inputs, dry_run: flags.dryRun });
  if ('dry_run' in made) return printDryRun(made, flags);
  if (flags.watch === true) return followRun(client, made.id, flags);
  show(made, flags.json, printRun);
}

/** Creates the workflow of a file, or changes the workflow with the same name. */
async function push(path: string, flags: ServiceFlags): Promise<void> {
  const client = connect(flags);
  // The service checks the stages, and names the field that is wrong.
  const workflow = (await readJsonObject(path, 'workflow')) as unknown as CreateWorkflowInput;
  const named = await collect(client.workflows.list({ limit: 100 }));
  const known = named.find(({ name }) => name === workflow.name);
  const saved = known
    ? await client.workflows.update(known.id, workflow)
    : await client.workflows.create(workflow);
  show(saved, flags.json, (record) => printRows([workflowRow(record)]));
}

export function registerWorkflows(program: Command): void {
  const workflows = program.command('workflows').description(GROUPS.workflows.about);
  serviceCommand(workflows, 'push', 'create the workflow of a JSON file, or change the one with its name', [
    'workflows push shop.json',
  ])
    .argument('<file>', 'name, stages and limits; - is standard input')
    .action(push);
  const run = serviceCommand(workflows, 'run', 'start a workflow', [
    'workflows run shop urls.txt --watch',
    'workflows run shop --sitemap https://shop.example/sitemap.xml',
    'echo https://shop.example/ | gleaner workflows run shop',
  ])
    .argument('<workflow>', 'id, slug or name')
    .argument('[file]', 'one URL or JSON object per line; - is standard input', '-')
    .option('--dry-run', 'report what the first stage would do')
    .option('-w, --watch', 'follow the run to its end; Ctrl-C leaves it running')
    .option('-q, --quiet', 'no progress');
  withSourceOptions(run, SINCE_TIME).action(startRun);
  const runs = program.command('runs').description(GROUPS['workflow-runs'].about);
  serviceCommand(runs, 'watch', 'follow a run to its end', ['runs watch run_01…'])
    .argument('<run>', 'identifier')
    .option('-q, --quiet', 'no progress')
    .action((id: string, flags: RunFlags) => followRun(connect(flags), id, flags));
}
