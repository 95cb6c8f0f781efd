import { Button, NumberInput, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { call, type CallOutput } from '../api/call.ts';
import { toProblem } from '../api/problem.ts';
import { operationQuery } from '../api/queries.ts';
import { IconPlus } from '../parts/icons.ts';
import { Page } from '../parts/page.tsx';
import { Empty, Failure, Loaded } from '../parts/states.tsx';
import { StageForm } from './stage-form.tsx';
import { StageGraph } from './stage-graph.tsx';
import { sourcesOf, stageOfField, withSources, type Stage } from './stages.ts';
import { useTargetName } from './use-target-name.ts';

type Workflow = CallOutput<'getWorkflow'>;

interface FormProps {
  workflow: Workflow | undefined;
  initial: readonly Stage[];
}

function freeStageName(stages: readonly Stage[]): string {
  for (let number = stages.length + 1; ; number += 1) {
    const name = `stage_${number}`;
    if (!stages.some((stage) => stage.name === name)) return name;
  }
}

/** Changes a stage; those that take from it follow a new name. */
function replaceStage(stages: readonly Stage[], index: number, next: Stage): Stage[] {
  const before = stages[index]?.name;
  return stages.map((stage, at) => {
    const changed = at === index ? next : stage;
    const sources = sourcesOf(at === index ? stages.with(index, next) : stages, at);
    if (before === next.name || !sources.some((source) => source.stage === before)) return changed;
    return withSources(
      changed,
      sources.map((source) => (source.stage === before ? { ...source, stage: next.name } : source)),
    );
  });
}

function WorkflowForm({ workflow, initial }: FormProps) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const targetName = useTargetName();
  const [name, setName] = useState(workflow?.name ?? '');
  const [stages, setStages] = useState<readonly Stage[]>(initial);
  const [selected, setSelected] = useState(0);
  const [credits, setCredits] = useState(workflow?.limits.credits);
  const save = useMutation({
    mutationFn: () => {
      const limits = { ...workflow?.limits, ...(credits === undefined ? {} : { credits }) };
      if (credits === undefined) delete limits.credits;
      const body = { name: name.trim(), stages: [...stages], limits };
      return workflow
        ? call('updateWorkflow', { params: { id: workflow.id }, body })
        : call('createWorkflow', { body });
    },
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({ queryKey: ['listWorkflows'] });
      await client.invalidateQueries({ queryKey: ['getWorkflow'] });
      await navigate({ to: '/workflows/$workflowId', params: { workflowId: id } });
    },
    onError: (error) => {
      const faulty = stageOfField(toProblem(error).body.field);
      if (faulty !== undefined) setSelected(faulty);
    },
  });
  const faulty = save.error === null ? undefined : stageOfField(toProblem(save.error).body.field);
  const add = (): void => {
    const last = stages.at(-1);
    if (!last) return;
    const made: Stage = { name: freeStageName(stages), target: last.target };
    setStages([...stages, withSources(made, [{ stage: last.name, path: '$.items[*].url' }])]);
    setSelected(stages.length);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() !== '') save.mutate();
      }}
      className="stack"
      style={{ gap: 16 }}
    >
      <div className="row wrap" style={{ alignItems: 'flex-end' }}>
        <TextInput
          label="Name"
          placeholder="Shop, lists and details"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          w={300}
        />
        <NumberInput
          label="A run spends at most"
          placeholder="no limit"
          suffix=" credits"
          min={1}
          allowDecimal={false}
          hideControls
          w={170}
          value={credits ?? ''}
          onChange={(value) => setCredits(typeof value === 'number' ? value : undefined)}
        />
        <span className="grow" />
        <Button variant="default" leftSection={<IconPlus size={14} />} onClick={add}>
          Stage
        </Button>
        <Button type="submit" disabled={name.trim() === ''} loading={save.isPending}>
          {workflow ? `Save v${workflow.version + 1}` : 'Create workflow'}
        </Button>
      </div>
      {save.error !== null && <Failure error={save.error} />}
      <div className="columns stage-editor">
        <StageGraph
          stages={stages}
          targetName={targetName}
          selected={selected}
          faulty={faulty}
          onSelect={setSelected}
        />
        <section aria-label="Stage" className="stack">
          <div className="row wrap" role="group" aria-label="Stages" style={{ gap: 4 }}>
            {stages.map((stage, index) => (
              <Button
                // Names change while they are typed.
                key={index}
                size="compact-xs"
                variant={index === selected ? 'light' : 'default'}
                aria-pressed={index === selected}
                onClick={() => setSelected(index)}
              >
                {stage.name}
              </Button>
            ))}
          </div>
          <StageForm
            stages={stages}
            index={selected}
            onChange={(next) => setStages(replaceStage(stages, selected, next))}
            onRemove={() => {
              setStages(stages.toSpliced(selected, 1));
              setSelected(Math.max(0, selected - 1));
            }}
          />
        </section>
      </div>
    </form>
  );
}

/** A workflow that isn't there yet: it begins with one stage of the newest parser. */
export function NewWorkflowPage() {
  const parsers = useQuery(operationQuery('listParsers', { query: { limit: 100 } }));
  return (
    <Page title="New workflow" crumbs={<Link to="/workflows">Workflows</Link>} padded>
      <Loaded query={parsers} what="the parsers">
        {({ parsers: [first] }) =>
          first === undefined ? (
            <Empty title="A workflow needs a parser first">
              <p>
                Its first stage reads list pages. <Link to="/parsers/new">Make a parser</Link> that finds
                their links.
              </p>
            </Empty>
          ) : (
            <WorkflowForm
              workflow={undefined}
              initial={[{ name: 'list', target: { type: 'parser', parserId: first.id } }]}
            />
          )
        }
      </Loaded>
    </Page>
  );
}

/** Changes a workflow; runs that have started go on as they are. */
export function EditWorkflowPage() {
  const { workflowId } = useParams({ from: '/app/workflows/$workflowId/edit' });
  const query = useQuery({
    ...operationQuery('getWorkflow', { params: { id: workflowId } }),
    refetchOnWindowFocus: false,
  });
  return (
    <Page
      title="Edit"
      crumbs={
        <>
          <Link to="/workflows">Workflows</Link>
          <span aria-hidden>/</span>
          <Link to="/workflows/$workflowId" params={{ workflowId }}>
            {query.data?.name ?? 'Workflow'}
          </Link>
        </>
      }
      padded
    >
      <Loaded query={query} what="the workflow">
        {(workflow) => <WorkflowForm workflow={workflow} initial={workflow.stages} />}
      </Loaded>
    </Page>
  );
}
