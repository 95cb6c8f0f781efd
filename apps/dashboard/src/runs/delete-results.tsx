import { call } from '../api/call.ts';
import { ConfirmButton } from '../parts/buttons.tsx';
import { IconTrash } from '../parts/icons.ts';

const REMOVING = {
  job: (id: string) => call('deleteJob', { params: { id } }),
  batch: (id: string) => call('deleteBatch', { params: { id } }),
  run: (id: string) => call('deleteWorkflowRun', { params: { id } }),
};

const STALE = [
  'getJob',
  'getBatch',
  'getBatchResults',
  'getBatchFailures',
  'getWorkflowRun',
  'getWorkflowRunFailures',
  'getWorkflowRunResults',
  'getCrawl',
  'listCrawlUrls',
  'listPages',
] as const;

/** Removes what an ended run has found; its record stays. */
export function DeleteResults({ kind, id }: { kind: keyof typeof REMOVING; id: string }) {
  return (
    <ConfirmButton
      icon={IconTrash}
      isSmall
      label="Delete results"
      title="Delete the results"
      action="Delete results"
      run={() => REMOVING[kind](id)}
      stale={[...STALE]}
    >
      Results, failures, held rows and kept pages are removed now. The record stays with its counts, and rows
      of tables stay.
    </ConfirmButton>
  );
}
