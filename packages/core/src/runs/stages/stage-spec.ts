import type { ApiId } from '@gleaner/contracts';
import type { CrawlRulesSpec } from '@gleaner/extractors/crawl';
import type { TableType } from '../../storage/columns/table-types.ts';

/** The stages that take the results of a stage. */
export interface StageOutput {
  /** `runs.no` of the stage that takes them. */
  run: string;
  /** JSONPath into a result's data, as `compileDataPath` takes it. */
  path: string;
  /** The API that takes them; null: a parser, which takes URLs. */
  api: ApiId | null;
  /** The API's parameter for a value that is not an object. */
  as: string | null;
  /**
   * Values that its tasks keep for their sink or for stages after them, by name. `path`: from this result; null: kept
   * by this result's own task.
   */
  carried: Readonly<Record<string, { path: string | null }>>;
}

/** A column of a stage's sink that holds a value of an ancestor. */
export interface CarriedColumn {
  column: string;
  type: TableType;
  /** Its name among the values that the task keeps. */
  from: string;
}

/** The name of what reads sitemaps and feeds. No stage and no route has it, as their names have no hyphens. */
export const SOURCE_FILES = 'source-files';

/** What a worker needs of a part of a crawl, or of a source. */
export type CrawlSpec =
  /** Its tasks are pages. */
  | {
      role: 'pages';
      rules: CrawlRulesSpec;
      /** With `scope: "path"`: those that it reads, as far as they are shown. */
      folders?: readonly string[];
      /** Names by index of the route. */
      routes: readonly string[];
      /** `runs.no` by index of the route; null: its pages are fetched for their links alone. */
      routeRuns: readonly (string | null)[];
    }
  /** Its tasks are robots.txt files, sitemaps and feeds: `sitemap URL`. */
  | { role: 'sources'; rules: CrawlRulesSpec }
  /** Its tasks are pages that were fetched: results of their parents. */
  | { role: 'route' }
  | SourceSpec;

/** Its tasks are the files of a run's source: `sitemap URL`. */
export interface SourceSpec {
  role: 'source';
  /** `runs.no` of the run that takes the addresses. */
  to: string;
  /** ISO 8601: leave out what is dated at or before it. */
  after: string | null;
  /** `crons.no`: leave out what runs of this cron have taken. */
  cronNo: string | null;
}

/** The properties of a stage that a worker needs beside its run. They never change. */
export interface StageSpec {
  /** The workflow run: `runs.id` and `runs.no`. */
  rootId: string;
  rootNo: string;
  name: string;
  outputs: readonly StageOutput[];
  columns: readonly CarriedColumn[];
  /** Absent in stages with a target. */
  crawl?: CrawlSpec | undefined;
}

/** Whether outcomes of the stage count only when the crawl retires their pages. */
export function isDeferred({ crawl }: StageSpec): boolean {
  return crawl?.role === 'pages' || crawl?.role === 'sources';
}

/** Whether the tasks' kept values are needed to run them. */
export function needsCarried({ outputs, columns }: StageSpec): boolean {
  return (
    columns.length > 0 ||
    outputs.some(({ carried }) => Object.values(carried).some(({ path }) => path === null))
  );
}
