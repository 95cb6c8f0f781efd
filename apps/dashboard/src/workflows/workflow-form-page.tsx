import { Button, NumberInput, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { call, operationQuery, useChange, type CallOutput } from '../api/call.ts';
import { toProblem } from '../api/problem.ts';
import { ActionButton } from '../parts/buttons.tsx';
import { IconPlus } from '../parts/icons.ts';
import { Page, Empty, Failure, Loaded } from '../parts/page.tsx';
import { CREDIT_LIMIT } from '../targets/credit-limit.ts';
import { StageForm } from './stage-form.tsx';
import { StageGraph } from './stage-graph.tsx';
import { addStage, replaceStage, stageOfField, useLinkPaths, type Stage } from './stages.ts';
import styles from './stage-graph.module.css';

type Workflow = CallOutput<'getWorkflow'>;

interface StagesEditorProps {
  stages: readonly Stage[];
  onChange: (stages: readonly Stage[]) => void;
  selected: number;
  onSelect: (index: number) => void;
  /** The answer to the last try, which may refuse a stage. */
  error: unknown;
}

/** The stages as a graph, with the form of the selected one beside it. */
function StagesEditor({ stages, onChange, selected, onSelect, error }: StagesEditorProps) {
  const faulty = error === null ? undefined : stageOfField(toProblem(error).body.field);
  return (
    <div className={`columns ${styles.editor}`}>
      <StageGraph stages={stages} selected={selected} faulty={faulty} onSelect={onSelect} />
      <section aria-label="Stage" className="stack">
        <div className="row wrap tight" role="group" aria-label="Stages">
          {stages.map((stage, index) => (
            <Button
              // Names change while they are typed.
              key={index}
              size="compact-xs"
              variant={index === selected ? 'light' : 'default'}
              aria-pressed={index === selected}
              onClick={() => onSelect(index)}
            >
              {stage.name}
            </Button>
          ))}
        </div>
        <StageForm
          stages={stages}
          index={selected}
          error={error}
          onChange={(next) => onChange(replaceStage(stages, selected, next))}
          onRemove={() => {
            onChange(stages.toSpliced(selected, 1));
            onSelect(Math.max(0, selected - 1));
          }}
        />
      </section>
    </div>
  );
}

function WorkflowForm({ workflow, initial }: { workflow?: Workflow; initial: readonly Stage[] }) {
  const navigate = useNavigate();
  // No credits: no limit.
  const credits: number | '' = workflow?.limits.credits ?? '';
  const form = useForm({ initialValues: { name: workflow?.name ?? '', stages: initial, credits } });
  const { name, stages } = form.values;
  const [selected, setSelected] = useState(0);
  const paths = useLinkPaths(stages.at(-1));
  // A list is what most stages follow.
  const path = paths.find((found) => found.includes('[*]')) ?? paths[0] ?? '$.items[*].url';
  const setStages = (next: readonly Stage[]): void => form.setValues({ stages: next });
  const save = useChange(
    () => {
      const most = form.values.credits;
      const limits = { ...workflow?.limits, credits: most === '' ? undefined : most };
      const body = { name: name.trim(), stages: [...stages], limits };
      return workflow
        ? call('updateWorkflow', { params: { id: workflow.id }, body })
        : call('createWorkflow', { body });
    },
    {
      stale: ['listWorkflows', 'getWorkflow'],
      onDone: ({ id }) => navigate({ to: '/workflows/$workflowId', params: { workflowId: id } }),
    },
  );
  const submit = (): void =>
    save.mutate(undefined, {
      onError: (error) => setSelected((known) => stageOfField(toProblem(error).body.field) ?? known),
    });
  return (
    <form onSubmit={form.onSubmit(submit)} className="stack loose">
      <div className="row wrap bottom">
        <TextInput
          label="Name"
          placeholder="Shop, lists and details"
          w={300}
          {...form.getInputProps('name')}
        />
        <NumberInput
          label="A run spends at most"
          w={170}
          {...CREDIT_LIMIT}
          {...form.getInputProps('credits')}
        />
        <span className="grow" />
        <ActionButton
          icon={IconPlus}
          onClick={() => {
            setStages(addStage(stages, path));
            setSelected(stages.length);
          }}
        >
          Stage
        </ActionButton>
        <Button type="submit" disabled={name.trim() === ''} loading={save.isPending}>
          {workflow ? `Save v${workflow.version + 1}` : 'Create workflow'}
        </Button>
      </div>
      <Failure error={save.error} />
      <StagesEditor
        stages={stages}
        onChange={setStages}
        selected={selected}
        onSelect={setSelected}
        error={save.error}
      />
    </form>
  );
}

/** A workflow that isn't there yet: it begins with one stage of the newest parser. */
export function NewWorkflowPage() {
  const parsers = useQuery(operationQuery('listParsers', { query: { limit: 1 } }));
  return (
    <Page title="New workflow" crumbs={[<Link to="/workflows">Workflows</Link>]} padded>
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
            <WorkflowForm initial={[{ name: 'list', target: { type: 'parser', parserId: first.id } }]} />
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
      crumbs={[
        <Link to="/workflows">Workflows</Link>,
        <Link to="/workflows/$workflowId" params={{ workflowId }}>
          {query.data?.name ?? 'Workflow'}
        </Link>,
      ]}
      padded
    >
      <Loaded query={query} what="the workflow">
        {(workflow) => <WorkflowForm workflow={workflow} initial={workflow.stages} />}
      </Loaded>
    </Page>
  );
}
