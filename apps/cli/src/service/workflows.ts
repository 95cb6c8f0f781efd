import { RUN_STATES } from '@gleaner/contracts';
import { Option, type Command } from 'commander';
import type { Client, CreateWorkflowInput, Workflow, WorkflowRun } from '@gleaner/client';
import { EXIT, ExitCode } from '../exit-codes.ts';
import { note, printFields, printJson, printRows } from '../terminal/output.ts';
import type { Row } from '../terminal/table.ts';
import { comeBackCommand } from './come-back.ts';
import { connect } from './connection.ts';
import { collect, take, withLimit, type ListFlags } from './listing.ts';
import { findWorkflowId } from './named.ts';
import { openInput, readJsonObject } from './read-file.ts';
import { readInputs } from './read-inputs.ts';
import { serviceCommand, type ServiceFlags } from './service-command.ts';
import { watchRun } from './watch-run.ts';

interface RunFlags extends ServiceFlags {
  dryRun?: boolean;
  watch?: boolean;
  quiet?: boolean;
}

function workflowRow({ id, name, stages, updated_at }: Workflow): Row {
  return { id, name, stages: stages.map((stage) => stage.name).join(' → '), updated: updated_at };
}

function runRow({ id, name, status, counts, credits, created_at }: WorkflowRun): Row {
  const { total, succeeded, failed } = counts;
  return { id, name, status, total, succeeded, failed, credits: credits.used, created: created_at };
}

function printRun(run: WorkflowRun, json: boolean | undefined): void {
  if (json === true) return printJson(run);
  printFields({ ...runRow(run), ...(run.paused === null ? {} : { 'paused because': run.paused.reason }) });
  printRows(
    run.stages.map(({ name, status, counts, waiting }) => ({
      stage: name,
      status,
      total: counts.total,
      succeeded: counts.succeeded,
      failed: counts.failed,
      waiting,
    })),
  );
}

async function followRun(client: Client, id: string, flags: RunFlags): Promise<void> {
  const run = await watchRun<WorkflowRun>(
    {
      id,
      what: 'workflow run',
      waitFor: (options) => client.workflowRuns.waitFor(id, options),
      remarkOf: ({ paused }) => (paused === null ? undefined : `paused: ${paused.reason}`),
    },
    {
      isQuiet: flags.quiet === true,
      comeBack: comeBackCommand(['runs', 'watch', id], { json: flags.json, url: flags.url }),
    },
  );
  printRun(run, flags.json);
  if (run.counts.failed > 0 && flags.quiet !== true) note(`Its failures: gleaner runs failures ${id}`);
  if (run.status !== 'succeeded') throw new ExitCode(EXIT.runFailed);
}

async function startRun(workflow: string, path: string, flags: RunFlags): Promise<void> {
  const client = connect(flags);
  const id = await findWorkflowId(client, workflow);
  const inputs = await collect(readInputs(await openInput(path, 'inputs')));
  const urls = inputs.filter((input) => typeof input === 'string');
  const objects = inputs.filter((input) => typeof input !== 'string');
  const { dryRun } = flags;
  const made = await client.workflows.createRun(id, {
    ...(objects.length === 0
      ? { urls }
      : { inputs: inputs.map((input) => (typeof input === 'string' ? { url: input } : input)) }),
    ...(dryRun === undefined ? {} : { dry_run: dryRun }),
  });
  if ('dry_run' in made) return printJson(made);
  if (flags.watch === true) return followRun(client, made.id, flags);
  printRun(made, flags.json);
}

// The service checks the stages, and names the field that is wrong.
function asWorkflow(value: Record<string, unknown>): CreateWorkflowInput {
  return value as unknown as CreateWorkflowInput;
}

/** Creates the workflow of a file, or changes the workflow with the same name. */
async function push(path: string, flags: ServiceFlags): Promise<void> {
  const client = connect(flags);
  const workflow = asWorkflow(await readJsonObject(path, 'workflow'));
  const named = await collect(client.workflows.list({ limit: 100 }));
  const known = named.find(({ name }) => name === workflow.name);
  const saved = known
    ? await client.workflows.update(known.id, workflow)
    : await client.workflows.create(workflow);
  if (flags.json === true) printJson(saved);
  else printRows([workflowRow(saved)]);
}

export function registerWorkflows(program: Command): void {
  const workflows = program.command('workflows').description('workflows: stages that feed each other');
  withLimit(
    serviceCommand(workflows, {
      name: 'list',
      description: 'workflows, newest first',
      examples: ['workflows list'],
    }),
  ).action(async (flags: ListFlags) => {
    const records = await take(connect(flags).workflows.list({ limit: 100 }), flags);
    if (flags.json === true) printJson({ workflows: records });
    else printRows(records.map(workflowRow));
  });
  serviceCommand(workflows, {
    name: 'get',
    description: 'one workflow as JSON',
    examples: ['workflows get shop > shop.json'],
  })
    .argument('<workflow>', 'identifier or name')
    .action(async (workflow: string, flags: ServiceFlags) => {
      const client = connect(flags);
      printJson(await client.workflows.get(await findWorkflowId(client, workflow)));
    });
  serviceCommand(workflows, {
    name: 'push',
    description: 'create the workflow of a JSON file, or change the one with its name',
    examples: ['workflows push shop.json'],
  })
    .argument('<file>', 'name, stages and limits; - is standard input')
    .action(push);
  serviceCommand(workflows, {
    name: 'run',
    description: 'start a workflow',
    examples: [
      'workflows run shop urls.txt --watch',
      'echo https://shop.example/ | gleaner workflows run shop',
    ],
  })
    .argument('<workflow>', 'identifier or name')
    .argument('[file]', 'one URL or JSON object per line; - is standard input', '-')
    .option('--dry-run', 'report what the first stage would do')
    .option('-w, --watch', 'follow the run to its end; Ctrl-C leaves it running')
    .option('-q, --quiet', 'no progress')
    .action(startRun);
  serviceCommand(workflows, {
    name: 'delete',
    description: 'delete a workflow',
    examples: ['workflows delete shop'],
  })
    .argument('<workflow>', 'identifier or name')
    .action(async (workflow: string, flags: ServiceFlags) => {
      const client = connect(flags);
      const id = await findWorkflowId(client, workflow);
      await client.workflows.delete(id);
      note(`${id} is deleted.`);
    });
  registerRuns(program);
}

function registerRuns(program: Command): void {
  const runs = program.command('runs').description('workflow runs');
  withLimit(
    serviceCommand(runs, {
      name: 'list',
      description: 'workflow runs, newest first',
      examples: ['runs list'],
    }),
  )
    .addOption(new Option('--status <status>', 'only these').choices(RUN_STATES))
    .action(async (flags: ListFlags & { status?: 'running' }) => {
      const query = flags.status === undefined ? {} : { status: flags.status };
      const records = await take(connect(flags).workflowRuns.list({ limit: 100, ...query }), flags);
      if (flags.json === true) printJson({ workflow_runs: records });
      else printRows(records.map(runRow));
    });
  serviceCommand(runs, {
    name: 'get',
    description: 'one run with its stages',
    examples: ['runs get run_01…'],
  })
    .argument('<run>', 'identifier')
    .action(async (id: string, flags: ServiceFlags) =>
      printRun(await connect(flags).workflowRuns.get(id), flags.json),
    );
  serviceCommand(runs, {
    name: 'watch',
    description: 'follow a run to its end',
    examples: ['runs watch run_01…'],
  })
    .argument('<run>', 'identifier')
    .option('-q, --quiet', 'no progress')
    .action((id: string, flags: RunFlags) => followRun(connect(flags), id, flags));
  withLimit(
    serviceCommand(runs, {
      name: 'failures',
      description: 'failed inputs, stage by stage',
      examples: ['runs failures run_01… --all'],
    }).argument('<run>', 'identifier'),
  ).action(async (id: string, flags: ListFlags) => {
    const failures = await take(connect(flags).workflowRuns.failures(id, { limit: 100 }), flags);
    if (flags.json === true) printJson({ failures });
    else {
      printRows(
        failures.map(({ stage, url, input, error, detail, attempts }) => ({
          stage,
          input: input ?? url,
          error,
          detail,
          attempts,
        })),
      );
    }
  });
  serviceCommand(runs, {
    name: 'cancel',
    description: 'stop a run with its stages',
    examples: ['runs cancel run_01…'],
  })
    .argument('<run>', 'identifier')
    .action(async (id: string, flags: ServiceFlags) =>
      printRun(await connect(flags).workflowRuns.cancel(id), flags.json),
    );
  serviceCommand(runs, {
    name: 'retry',
    description: 'run the failed inputs again',
    examples: ['runs retry run_01…'],
  })
    .argument('<run>', 'identifier')
    .action(async (id: string, flags: ServiceFlags) =>
      printRun(await connect(flags).workflowRuns.retry(id), flags.json),
    );
}
