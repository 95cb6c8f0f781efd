import { Textarea } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../api/call.ts';
import { plural } from '../format/number.ts';
import { FormDialog } from '../parts/form-dialog.tsx';
import { startInputs } from './stages.ts';

interface StartDialogProps {
  workflowId: string;
  /** Whether the first stage takes objects of an API's parameters instead of addresses. */
  takesObjects: boolean;
  onClose: () => void;
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
      call('createWorkflowRun', { params, body: { ...startInputs(settled, takesObjects), dry_run: true } }),
    enabled: settled.trim() !== '',
    retry: false,
  });
  const start = useMutation({
    mutationFn: () => call('createWorkflowRun', { params, body: startInputs(text, takesObjects) }),
    onSuccess: async (run) => {
      if ('id' in run) await navigate({ to: '/workflow-runs/$runId', params: { runId: run.id } });
    },
  });
  const answer = dryRun.data !== undefined && 'dry_run' in dryRun.data ? dryRun.data : undefined;
  return (
    <FormDialog
      title="Run this workflow"
      size="lg"
      onClose={onClose}
      sent={{ error: start.error ?? dryRun.error, isPending: start.isPending }}
      onSubmit={() => start.mutate()}
      submit={answer ? `Run for at least ${plural(answer.credits.most, 'credit')}` : 'Run'}
      isReady={text.trim() !== ''}
      beside={
        <span className="soft small">
          This pays for the first stage. Later stages are paid when their pages arrive, within the limits of
          the workflow.
        </span>
      }
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
    </FormDialog>
  );
}
