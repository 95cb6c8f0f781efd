import { AppError } from '@gleaner/contracts';
import {
  checkUrl,
  findNewEntries,
  type Children,
  type SourceEntry,
  type SourceSpec,
  type TaskOutcome,
} from '@gleaner/core';
import { readLinkLine, type SourceLinks } from '@gleaner/extractors/crawl';
import type { TimedRun } from '../tasks/attempt-task.ts';
import { fetchSource, readInput, type SourceTask, type SourceTaskDeps } from './source-task.ts';

interface Entries {
  /** Inputs of the stage itself: `sitemap URL`. */
  files: string[];
  pages: SourceEntry[];
  /** Entries that are no address of a page. */
  leftOut: number;
}

function sortLines({ lines, faulty = 0 }: SourceLinks): Entries {
  const entries: Entries = { files: [], pages: [], leftOut: faulty };
  for (const line of lines) {
    const { kind, url, modified } = readLinkLine(line);
    if (kind === 'i') {
      entries.files.push(url);
      continue;
    }
    const checked = checkUrl(url);
    if ('fault' in checked) entries.leftOut += 1;
    else entries.pages.push({ url: checked.line, modified });
  }
  return entries;
}

/** What `since` leaves of the entries. One without a date counts as new. */
async function keepNew(
  { db }: SourceTaskDeps,
  pages: readonly SourceEntry[],
  { after, cronNo }: SourceSpec,
): Promise<readonly SourceEntry[]> {
  const limit = after === null ? -Infinity : Date.parse(after);
  const later = pages.filter(({ modified }) => modified === undefined || Date.parse(modified) > limit);
  return cronNo === null ? later : findNewEntries(db, cronNo, later);
}

function toChildren(own: string, { to, cronNo }: SourceSpec, files: string[], pages: readonly SourceEntry[]) {
  const children: Children[] = [
    { run: own, inputs: files, carried: null, refused: 0 },
    {
      run: to,
      inputs: pages.map(({ url }) => url),
      // The date that counts as taken.
      carried: cronNo === null ? null : pages.map(({ modified = null }) => JSON.stringify(modified)),
      refused: 0,
    },
  ];
  return children.filter(({ inputs }) => inputs.length > 0);
}

/**
 * Reads a file of a run's source, whose entries become inputs of the run.
 * @throws AppError fetch_failed: it can't be read to its end
 */
export async function runInputSourceTask(
  deps: SourceTaskDeps,
  task: Omit<SourceTask, 'rules'> & { spec: SourceSpec },
  run: TimedRun,
): Promise<TaskOutcome> {
  const { spec, input } = task;
  const { response, bytes, found } = await fetchSource(deps, { ...task, rules: 'any' }, run);
  if (found.truncated === true) {
    throw new AppError('fetch_failed', {
      detail: `the ${readInput(input).kind} ends in the middle, or has more than 50,000 addresses or 50 MB`,
      retryable: false,
    });
  }
  const { files, pages, leftOut } = sortLines(found);
  const kept = await keepNew(deps, pages, spec);
  run.clock.leave();
  return {
    ok: true,
    answer: JSON.stringify({ bytes, entries: pages.length, leftOut }),
    finalUrl: response.finalUrl,
    httpStatus: response.status,
    fetchedAt: new Date(deps.clock.now()).toISOString(),
    bytes,
    children: toChildren(task.run.no, spec, files, kept),
  };
}
