import type { SubmittedRun } from '../../runs/submission/prepare-run.ts';
import type { SubmitServices } from '../../runs/submission/run-services.ts';
import { submitPrepared, type RunTransaction } from '../../runs/submission/submit-run.ts';
import { prepareWorkflowRun, type WorkflowSubmission } from './prepare-workflow-run.ts';

/**
 * Starts a workflow, as `submitRun` makes a run: with `transact` in the caller's transaction, so that the caller's own
 * rows commit with the run.
 * @throws AppError not_found, invalid_request, insufficient_credits, pending_limit, temporarily_unavailable
 */
export async function submitWorkflowRun<T = SubmittedRun>(
  services: SubmitServices,
  submission: WorkflowSubmission,
  transact: RunTransaction<T>,
): Promise<T> {
  return submitPrepared(await prepareWorkflowRun(services, submission), transact);
}
