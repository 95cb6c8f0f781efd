import { Button, Modal, Textarea } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../api/call.ts';
import { plural } from '../format/number.ts';
import { Failure } from '../parts/states.tsx';

interface StartDialogProps {
  workflowId: string;
  /** Whether the first stage takes objects of an API's parameters instead of addresses. */
  takesObjects: boolean;
  onClose: () => void;
}

function inputsOf(
  text: string,
  takesObjects: boolean,
): { urls: string[] } | { inputs: Record<string, unknown>[] } {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (!takesObjects) return { urls: lines };
  return { inputs: lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

/** Starts a workflow with the inputs of its first stage. */
export function StartDialog({ workflowId, takesObjects, onClose }: StartDialogProps) {
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const [settled] = useDebouncedValue(text, 400);
  const params = { id: workflowId };
  const dryRun = useQuery({
    queryKey: ['workflow-dry-run', workflowId, settled],
    queryFn: () =>
      call('createWorkflowRun', { params, body: { ...inputsOf(settled, takesObjects), dry_run: true } }),
    enabled: settled.trim() !== '',
    retry: false,
  });
  const start = useMutation({
    mutationFn: () => call('createWorkflowRun', { params, body: inputsOf(text, takesObjects) }),
    onSuccess: async (run) => {
      if ('id' in run) await navigate({ to: '/workflow-runs/$runId', params: { runId: run.id } });
    },
  });
  const answer = dryRun.data !== undefined && 'dry_run' in dryRun.data ? dryRun.data : undefined;
  const fault = start.error ?? dryRun.error;
  return (
    <Modal opened onClose={onClose} title="Run this workflow" size="lg">
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() !== '') start.mutate();
        }}
      >
        <Textarea
          label={
            takesObjects
              ? 'Inputs of the first stage, one JSON object a line'
              : 'Pages of the first stage, one address a line'
          }
          rows={7}
          classNames={{ input: 'mono' }}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          data-autofocus
        />
        {fault !== null && <Failure error={fault} />}
        <div className="row wrap">
          <Button type="submit" disabled={text.trim() === ''} loading={start.isPending}>
            {answer ? `Run for at least ${plural(answer.credits.most, 'credit')}` : 'Run'}
          </Button>
          <span className="soft small">
            That is the first stage. Later stages are paid as their pages come; the limits of the workflow
            bound them.
          </span>
        </div>
      </form>
    </Modal>
  );
}
