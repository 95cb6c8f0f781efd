import { LAST_RUN, MAX_SITEMAP_FILES } from '@gleaner/contracts';
import { SOURCE_FILES, type StageSpec } from '../stages/stage-spec.ts';
import { DEFAULT_RETRIES } from './create-run.ts';
import { withoutPages } from './without-pages.ts';
import { SOURCE_LEVEL } from '../tasks/work-level.ts';
import type { RunConfig } from '../tasks/run-config.ts';
import type { RunSource } from './run-source.ts';

export interface SourceStage {
  root: { id: string; no: string };
  /** Its own number. */
  no: string;
  /** `runs.no` of the run that takes its entries: the second stage of the root. */
  to: string;
  source: RunSource;
  /** The configuration of the run that takes them. */
  config: RunConfig;
  maxCredits: number | undefined;
}

/** The stage that reads a source, as `engine.create_workflow_run` takes it. It is the first, with one input. */
export function sourceStageRow({ root, no, to, source, config, maxCredits }: SourceStage) {
  const { kind, url, since, cronNo } = source;
  const { retries = DEFAULT_RETRIES, timeoutSeconds } = config;
  const own = { retries, ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }) };
  const resolved = withoutPages({ type: 'crawl' }, own, SOURCE_LEVEL);
  const after = since === LAST_RUN ? null : since;
  const plan: StageSpec = {
    rootId: root.id,
    rootNo: root.no,
    name: SOURCE_FILES,
    outputs: [],
    columns: [],
    crawl: { role: 'source', to, after, cronNo },
  };
  return {
    no,
    name: SOURCE_FILES,
    role: 'source',
    mode: 'return',
    queue: resolved.queue,
    target: resolved.target,
    config: resolved.config,
    sink: null,
    retries,
    price: resolved.price,
    sources: [],
    plan,
    maxTasks: MAX_SITEMAP_FILES,
    // An index names further files.
    takesOwn: true,
    source: { kind, url, since, cronNo, maxCredits: maxCredits ?? null },
  };
}

/** The only input of the stage. */
export function sourceInput({ kind, url }: RunSource): string {
  return `${kind} ${url}`;
}
