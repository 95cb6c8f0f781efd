import type { Engine } from '@gleaner/contracts';
import type { ApiId } from '@gleaner/contracts';
import { PREBUILT_APIS } from '@gleaner/contracts';
import {
  nextStep,
  type SiteOutcome,
  type SiteRequest,
  type SiteResponse,
  type SitesConfig,
} from '@gleaner/extractors/sites';

export interface Asked {
  outcome: SiteOutcome;
  requests: (SiteRequest & { mode: Engine })[];
}

/** What the challenges of the fakes set in a browser that runs their scripts. */
const BROWSER_COOKIES = { waf_passed: '1', px_passed: '1' };

async function send(
  { method, url, headers, cookies, body }: SiteRequest,
  mode: Engine,
): Promise<SiteResponse> {
  const all = mode === 'browser' ? { ...cookies, ...BROWSER_COOKIES } : cookies;
  const cookie = Object.entries(all)
    .map(([name, value]) => `${name}=${value}`)
    .join('; ');
  const answer = await fetch(url, {
    method,
    headers: { ...headers, cookie },
    ...(body === undefined ? {} : { body }),
  });
  return {
    url,
    finalUrl: answer.url,
    status: answer.status,
    headers: Object.fromEntries(answer.headers),
    body: await answer.text(),
  };
}

/** Answers one input as the worker would: asks for the next step, fetches it, until there is an outcome. */
export async function ask(id: ApiId, input: Record<string, unknown>, config: SitesConfig): Promise<Asked> {
  const parsed = PREBUILT_APIS[id].input.parse(input);
  const responses: SiteResponse[] = [];
  const requests: Asked['requests'] = [];
  for (;;) {
    const step = nextStep(id, parsed, config, responses);
    if (step.kind === 'done') return { outcome: step.outcome, requests };
    requests.push({ ...step.request, mode: step.mode });
    responses.push(await send(step.request, step.mode));
  }
}
