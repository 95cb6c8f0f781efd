import { PREBUILT_APIS, type ApiId } from '@gleaner/contracts';
import { extractSite, type SiteOutcome, type SiteResponse } from '@gleaner/extractors/sites';
import { compare, type Disagreement } from './compare.ts';
import { NOTES, OUTCOMES } from './notes.ts';
import { readSamples, type Sample } from './samples.ts';

export interface SampleReport {
  api: ApiId;
  name: string;
  outcome: SiteOutcome['outcome'];
  /** What the recording is said to be. */
  said: string;
  isOutcomeRight: boolean;
  compared: number;
  wrong: Disagreement[];
  /** Paths at which the answer does not follow the API's schema. */
  schemaFaults: string[];
  note: string | undefined;
}

type Expected = Record<string, unknown>;

/** Names of outcomes as the samples give them. */
function saidOf(expected: Expected): string {
  if (typeof expected['_outcome'] === 'string') return expected['_outcome'];
  if (expected['_blocked'] === true) return 'blocked';
  return expected['_absent_or_blocked'] === true ? 'absent_or_blocked' : 'ok';
}

function noteOf({ api, name }: Sample): string | undefined {
  return Object.entries(NOTES).find(([key]) => {
    const [noted = '', part = ''] = key.split('/');
    return noted === api && name.includes(part);
  })?.[1];
}

/** Some files hold several answers as a list; each is one case. */
function casesOf({ responses, expected }: Sample): { responses: SiteResponse[]; expected: Expected }[] {
  const [only] = responses;
  const listed = Array.isArray(expected) ? expected : buildingsOf(expected);
  const bodies: unknown = listed && only ? JSON.parse(only.body) : undefined;
  if (!listed || !Array.isArray(bodies)) return [{ responses, expected: expected as Expected }];
  return listed.map((value, index) => ({
    responses: [{ url: '', status: 200, body: JSON.stringify(bodies[index]) }],
    expected: value as Expected,
  }));
}

function buildingsOf(expected: unknown): unknown[] | undefined {
  const buildings = (expected as Expected)['_buildings'];
  return Array.isArray(buildings) ? buildings : undefined;
}

function sweepSample(sample: Sample): SampleReport {
  const report: SampleReport = {
    api: sample.api,
    name: sample.name,
    outcome: 'ok',
    said: 'ok',
    isOutcomeRight: true,
    compared: 0,
    wrong: [],
    schemaFaults: [],
    note: noteOf(sample),
  };
  for (const { responses, expected } of casesOf(sample)) {
    const outcome = extractSite(sample.api, {}, responses);
    report.said = saidOf(expected);
    report.outcome = outcome.outcome;
    const isRight = (OUTCOMES[report.said] ?? []).includes(outcome.outcome);
    report.isOutcomeRight &&= isRight;
    if (outcome.outcome !== 'ok') {
      // The expected nulls of a page without data follow from its outcome.
      report.compared += 1;
      if (!isRight) {
        const found = compare(expected, {});
        report.compared += found.compared - 1;
        report.wrong.push(
          { path: '_outcome', expected: report.said, got: outcome.evidence },
          ...found.wrong.slice(1),
        );
      }
      continue;
    }
    const { compared, wrong } = compare(expected, outcome.data);
    report.compared += compared;
    report.wrong.push(...wrong);
    const parsed = PREBUILT_APIS[sample.api].output.strict().safeParse(outcome.data);
    report.schemaFaults.push(...(parsed.error?.issues ?? []).map((issue) => issue.path.join('.')));
  }
  return report;
}

/** Every recording of an API, read by its extractor and compared field by field. */
export function sweepSamples(root: string, api: ApiId): SampleReport[] {
  return readSamples(root, api).map(sweepSample);
}
