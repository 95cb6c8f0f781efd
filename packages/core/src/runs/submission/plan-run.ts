import type { Sink } from '@gleaner/contracts';
import { batchQueue } from '@gleaner/queue';
import { createId } from '../../platform/ids.ts';
import { resolveTarget, type ResolvedTarget } from './resolve-target.ts';
import { type RunInputs, walkInputs, type InputCounts, type InputReceiver } from './run-inputs.ts';
import { ORIGIN_TRAITS } from './run-origin.ts';
import { invalid } from '../../platform/invalid-request.ts';
import { toCarriedNames, type CarriedNames } from '../stages/input-values.ts';
import { checkColumns, NO_VALUES, planCarriedInputs, type CarryPlan } from './carry-plan.ts';
import type { SubmitServices } from './run-services.ts';
import { openRunSink } from './run-sink.ts';
import type { RunSubmission } from './run-submission.ts';

/** What the reading of inputs needs of a submission. */
export type InputSubmission = Pick<RunSubmission, 'accountId' | 'origin' | 'bounds' | 'signal'>;

/** A submission with a checked target and sink. Nothing is stored yet. */
export interface RunPlan<S extends InputSubmission = InputSubmission> {
  id: string;
  submission: S;
  target: ResolvedTarget;
  inputs: RunInputs;
  sink: Sink | undefined;
  /** Present in a run that keeps values of its inputs. */
  carry?: CarryPlan | undefined;
}

async function resolve(
  services: SubmitServices,
  id: string,
  { accountId, target: named, config, sink, carry }: RunSubmission,
): Promise<ResolvedTarget> {
  const target = await resolveTarget(services, accountId, named, config);
  const run = { id, accountId, target: target.target };
  if (carry !== undefined && !target.takesUrls)
    throw invalid(
      'carry',
      'is for parsers: results of a prebuilt API have its parameters as `input` already',
    );
  // What true keeps is known when the inputs were read.
  if (carry !== undefined && carry !== true)
    await checkColumns(services, { ...run, sink }, toCarriedNames(carry));
  else if (sink?.mode === 'database' && carry === undefined) await openRunSink(services, { ...run, sink });
  return target;
}

/** A re-parse fetches nothing, so it costs nothing and needs no browser. */
function withPages(target: ResolvedTarget, { keepPages, isReparse }: RunSubmission): ResolvedTarget {
  if (isReparse === true) {
    const config = { ...target.config, keepPages: 'none', ways: undefined, pages: 'kept' as const };
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
  const { accountId, target: named, config, sink, carry } = submission;
  if (carry !== undefined && submission.source !== undefined) throw invalid('carry', NO_VALUES);
  const key = JSON.stringify([accountId, named, config, sink, carry]);
  const resolving = services.resolved?.get(key) ?? resolve(services, id, submission);
  services.resolved?.set(key, resolving);
  const target = withPages(await resolving, submission);
  const run = { id, accountId, target: target.target, sink };
  return {
    id,
    submission,
    target,
    inputs: submission.inputs(target),
    sink,
    carry: carry === undefined ? undefined : await planCarriedInputs(services, run, carry),
  };
}

/** What a plan's inputs are. */
export interface WalkedInputs extends InputCounts {
  /** The values that their tasks keep. */
  names: CarriedNames | undefined;
}

/** Reads the plan's inputs. @throws AppError invalid_request; with values of inputs as `CarryPlan.check` does */
export async function walkPlan(plan: RunPlan, receiver: InputReceiver): Promise<WalkedInputs> {
  const { origin, bounds, signal } = plan.submission;
  const { noun } = ORIGIN_TRAITS[origin.type];
  const { target, inputs, carry } = plan;
  const counts = await walkInputs({ target, inputs, bounds, noun, signal, carry: carry?.walk }, receiver);
  if (counts.accepted + counts.refused === 0) throw invalid(inputs.field, 'there are no inputs');
  const names = carry?.walk.reader.names();
  if (names !== undefined) await carry?.check(names);
  return { ...counts, names };
}
