import { LRUCache } from 'lru-cache';
import type { CrawlSpec, RunSpec, StoredPages, TaskOutcome } from '@gleaner/core';
import { compileCrawl, type CrawlRules, type CrawlRulesSpec } from '@gleaner/extractors/crawl';
import { attemptTask, type AttemptDeps, type TaskRun } from '../tasks/attempt-task.ts';
import { runInputSourceTask } from './input-source-task.ts';
import { runPageTask, type PageTaskDeps } from './page-task.ts';
import { runSourceTask, type SourceTaskDeps } from './source-task.ts';
import { toOutcome } from './stored-page.ts';

/** Each has up to 2 MB of start pages. */
const MAX_ENTRIES = 50;

/** A task of a part of a crawl, or of a source. */
export interface CrawlTask {
  run: RunSpec;
  crawl: CrawlSpec;
  seq: number;
  input: string;
  /** Stored pages of the task's chunk; undefined unless the part is a route. */
  pages: StoredPages | undefined;
}

export interface CrawlExecutor {
  /** Runs one task. Returns failures as data; only an abort throws. */
  execute(task: CrawlTask, run: TaskRun): Promise<TaskOutcome>;
}

export type CrawlExecutorDeps = AttemptDeps & PageTaskDeps & SourceTaskDeps;

export function createCrawlExecutor(deps: CrawlExecutorDeps): CrawlExecutor {
  const compiled = new LRUCache<string, CrawlRules, CrawlRulesSpec>({
    max: MAX_ENTRIES,
    memoMethod: (_no, _stale, { context }) => compileCrawl(context),
  });
  return {
    execute: ({ run, crawl, seq, input, pages }, taskRun) =>
      attemptTask(deps, taskRun, async (timed) => {
        switch (crawl.role) {
          case 'pages': {
            const rules = compiled.memo(run.no, { context: crawl.rules });
            return runPageTask(deps, { run, spec: crawl, rules, url: input }, timed);
          }
          case 'sources':
            return runSourceTask(deps, { run, rules: crawl.rules, input }, timed);
          case 'source':
            return runInputSourceTask(deps, { run, spec: crawl, input }, timed);
          case 'route': {
            if (pages === undefined) throw new Error('the task of a route has stored pages');
            return toOutcome(await pages.take(seq));
          }
        }
      }),
  };
}
