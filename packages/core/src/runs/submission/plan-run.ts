import type { Sink } from '@gleaner/contracts';
import { batchQueue } from '@gleaner/queue';
import { createId } from '../../platform/ids.ts';
import { resolveTarget, type ResolvedTarget } from './resolve-target.ts';
import type { RunInputs } from './run-inputs.ts';
import { ORIGIN_TRAITS } from './run-origin.ts';
import type { SubmitServices } from './run-services.ts';
import { openRunSink } from './run-sink.ts';
import type { RunSubmission } from './run-submission.ts';
import { walkInputs, type InputCounts, type InputReceiver } from './walk-inputs.ts';

/** What the reading of inputs needs of a submission. */
export type InputSubmission = Pick<RunSubmission, 'accountId' | 'origin' | 'bounds' | 'signal'>;

/** A submission with a checked target and sink. Nothing is stored yet. */
export interface RunPlan<S extends InputSubmission = InputSubmission> {
  id: string;
  submission: S;
  target: ResolvedTarget;
  inputs: RunInputs;
  sink: Sink | undefined;
}

async function resolve(
  services: SubmitServices,
  id: string,
  { accountId, target: named, config, sink }: RunSubmission,
): Promise<ResolvedTarget> {
  const target = await resolveTarget(services, accountId, named, config);
  if (sink?.mode === 'database') {
    await openRunSink(services, { id, accountId, target: target.target, sink });
  }
  return target;
}

/** A re-parse fetches nothing, so it costs nothing and needs no browser. */
function withPages(target: ResolvedTarget, { keepPages, isReparse }: RunSubmission): ResolvedTarget {
  if (isReparse === true) {
    const config = { ...target.config, keepPages: 'none', pages: 'kept' as const };
    return { ...target, config, price: 0, queue: batchQueue('http') };
  }
  return keepPages === undefined ? target : { ...target, config: { ...target.config, keepPages } };
}

/**
 * Resolves the target, opens the inputs and checks that the sink can be written.
 * @throws AppError not_found (target, sink.database), invalid_request, temporarily_unavailable
 */
export async function planRun(
  services: SubmitServices,
  submission: RunSubmission,
): Promise<RunPlan<RunSubmission>> {
  const id = createId(ORIGIN_TRAITS[submission.origin.type].idKind);
  const { accountId, target: named, config, sink } = submission;
  const key = JSON.stringify([accountId, named, config, sink]);
  const resolving = services.resolved?.get(key) ?? resolve(services, id, submission);
  services.resolved?.set(key, resolving);
  const target = withPages(await resolving, submission);
  return { id, submission, target, inputs: submission.inputs(target), sink };
}

/** Reads the plan's inputs. @throws AppError invalid_request */
export function walkPlan(plan: RunPlan, receiver: InputReceiver): Promise<InputCounts> {
  const { origin, bounds, signal } = plan.submission;
  const { noun } = ORIGIN_TRAITS[origin.type];
  return walkInputs({ target: plan.target, inputs: plan.inputs, bounds, noun, signal }, receiver);
}
