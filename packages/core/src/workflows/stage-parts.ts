import {
  AppError,
  DEFAULT_CRAWL_PAGES,
  DEFAULT_OWN_LIMIT,
  type Crawl,
  type CrawlRoute,
  type KeepPages,
  type ParserSchema,
  type ScrapeConfig,
  type StageSink,
  type TargetStage,
  type WorkflowStage,
} from '@gleaner/contracts';
import { SOURCE_FILES } from '../runs/stages/stage-spec.ts';
import { toUnsavedTarget, type UnsavedTarget } from '../runs/tasks/unsaved-target.ts';

/** What a part of a stage that crawls does. */
export type CrawlPart =
  | { role: 'pages'; crawl: Crawl; routes: readonly CrawlRoute[]; keepPages?: KeepPages | undefined }
  | { role: 'sources'; crawl: Crawl }
  | { role: 'route'; route: CrawlRoute; index: number };

/** A part of a workflow that is a run of its own: a stage with a target, or one of the parts of a stage that crawls. */
export interface StagePart {
  /** `list`; of a crawl also `site:source-files` and, for its routes, names such as `site:products`. */
  name: string;
  /** Index of its stage in the definition. */
  stage: number;
  /** Where it is in the definition, for messages: `stages[1]`, `stages[0].routes[2]`. */
  at: string;
  target: TargetStage['target'] | UnsavedTarget | undefined;
  config: ScrapeConfig | undefined;
  sink: StageSink | undefined;
  /** Most tasks in one run. */
  limit: number | null;
  part: CrawlPart | undefined;
}

/** A stage that crawls, without its name. */
export interface CrawlWork {
  crawl: Crawl;
  routes: readonly CrawlRoute[];
  config: ScrapeConfig | undefined;
  limit: number;
  /** Absent: `none`. */
  keepPages?: KeepPages | undefined;
}

/** The stage of a part, by the part's name. */
export function stageOf(name: string): string {
  return name.split(':', 1)[0] ?? '';
}

/** The route of a part of a crawl, by the part's name; null outside crawls. */
export function routeOf(name: string): string | null {
  return name.split(':')[1] ?? null;
}

/** A field of a part, for messages. */
export function fieldOf({ at }: Pick<StagePart, 'at'>, field: string): string {
  return at === '' ? field : `${at}.${field}`;
}

/** Names the part in the field of a refusal: `target.parserId` becomes `stages[1].target.parserId`. */
export async function inPart<T>(part: Pick<StagePart, 'at'>, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { field } = error.options;
    const at = field === undefined ? part.at : fieldOf(part, field);
    throw new AppError(error.code, { ...error.options, ...(at === '' ? {} : { field: at }) });
  }
}

/** The parts of a stage that crawls. @param at where the stage is; empty for the body of a call */
export function crawlParts(
  name: string,
  { crawl, routes, config, limit, keepPages }: CrawlWork,
  { stage, at }: Pick<StagePart, 'stage' | 'at'>,
): StagePart[] {
  const common = { stage, config, sink: undefined, target: undefined, limit: null };
  const { sitemaps, feeds } = crawl.sources;
  const hasSources = sitemaps || feeds.length > 0;
  const readers = routes.flatMap((route, index): StagePart[] => {
    // The text of the schema was checked before it was stored (change-workflows.ts).
    const schema = route.schema as unknown as ParserSchema | undefined;
    const target = schema === undefined ? route.target : toUnsavedTarget(schema);
    if (target === undefined) return [];
    const routeAt = fieldOf({ at }, `routes[${index}]`);
    const part = { role: 'route' as const, route, index };
    return [{ ...common, name: `${name}:${route.name}`, at: routeAt, target, sink: route.sink, part }];
  });
  return [
    { ...common, name, at, limit, part: { role: 'pages', crawl, routes, keepPages } },
    ...(hasSources
      ? [{ ...common, name: `${name}:${SOURCE_FILES}`, at, part: { role: 'sources' as const, crawl } }]
      : []),
    ...readers,
  ];
}

/** The parts of a workflow in the order of its stages. */
export function readParts(stages: readonly WorkflowStage[]): StagePart[] {
  return stages.flatMap((written, stage): StagePart[] => {
    const place = { stage, at: `stages[${stage}]` };
    const config = written.scrape_config;
    if ('crawl' in written) {
      const { name, crawl, routes, limit = DEFAULT_CRAWL_PAGES } = written;
      return crawlParts(name, { crawl, routes, config, limit }, place);
    }
    const { name, target, sink, from = [] } = written;
    const takesOwn = [from].flat().some((source) => source.stage === name);
    const { limit = takesOwn ? DEFAULT_OWN_LIMIT : null } = written;
    return [{ ...place, name, target, config, sink, limit, part: undefined }];
  });
}
