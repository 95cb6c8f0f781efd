import { AppError, toStoredError, type ApiId, type StoredError } from '@gleaner/contracts';
import type { SiteInput, SiteResponse, SitesConfig, SiteStep } from '../sites/types.ts';

/** One step of a prebuilt API's plan: the input and the responses so far. */
export interface SiteWork {
  id: ApiId;
  input: SiteInput;
  config: SitesConfig;
  responses: readonly SiteResponse[];
}

/** The next request of a prebuilt API, or its outcome with the data as JSON text. */
export type SiteStepResult =
  | Extract<SiteStep, { kind: 'fetch' }>
  | { kind: 'answer'; json: string }
  | { kind: 'failure'; error: StoredError };

/** Loads the readers on first use, because most threads never run a prebuilt API. */
export async function nextSiteStep({ id, input, config, responses }: SiteWork): Promise<SiteStepResult> {
  const { nextStep, siteError } = await import('../sites/index.ts');
  const step = nextStep(id, input, config, responses);
  if (step.kind === 'fetch') return step;
  if (step.outcome.outcome === 'ok') return { kind: 'answer', json: JSON.stringify(step.outcome.data) };
  const error = siteError(step.outcome) ?? new AppError('internal');
  return { kind: 'failure', error: toStoredError(error) };
}
