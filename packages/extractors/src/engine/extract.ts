import type { Extraction, ExtractionFailure } from '../extraction.ts';
import { ExtractionStopped, type PageDocument, PageRejected } from '@gleaner/html';
import { looksScripted } from '../content/looks-scripted.ts';
import type { Page } from '../page.ts';
import { isPdfPage, NO_SELECTORS, parsePageTree } from '../parse-page.ts';
import { RESULT_LIMITS, startBudget } from '../limits.ts';
import { structureOf } from '../output/page-structure.ts';
import { settleColumn } from '../values/column.ts';
import { DROPPED, readFields } from './field.ts';
import { createPageState, failureOf, startReports, type PageState } from './page-state.ts';
import type { CompiledParser } from './types.ts';

export interface ExtractOptions {
  explain?: boolean | undefined;
  /** Returns the remaining data when a field fails. */
  partial?: boolean | undefined;
  /** Adds a fingerprint of the page's structure. */
  structure?: boolean | undefined;
  /** Fails where nothing on the page matched, unless the schema allows it. */
  refusesEmpty?: boolean | undefined;
  /**
   * Names down to the objects that become rows, joined by dots; '' for the page's own fields. Lists and groups of a row are
   * null there when nothing matched them, so that a table can keep what it has.
   */
  rowsAt?: string | undefined;
}

const NOTHING: ExtractionFailure = {
  code: 'extraction_failed',
  detail: 'nothing on the page matched',
  fields: [],
  isEmpty: true,
};

function nothingOn(page: Page): ExtractionFailure {
  if (!isPdfPage(page)) return NOTHING;
  return { ...NOTHING, detail: `${NOTHING.detail}: ${NO_SELECTORS}` };
}

function rejection(reason: string): ExtractionFailure {
  return {
    code: 'html_rejected',
    detail: `html: ${reason}`,
    fields: [{ path: 'html', selector: null, reason }],
  };
}

/** Ends the extraction at the field that was being read. */
function stopped({ reports, current }: PageState, reason: string): ExtractionFailure {
  const report = reports[current];
  if (report !== undefined) report.error ??= reason;
  return {
    code: 'extraction_failed',
    detail: reason,
    fields: report === undefined ? [] : [{ path: report.path, selector: null, reason }],
    isStopped: true,
  };
}

function emptyReports(parser: CompiledParser): PageState['reports'] {
  return parser.paths.map((path) => ({ path, matched: false, value_count: 0, selector: null }));
}

/** The page as a tree, or why it is refused. */
export function parsePage(page: Page): PageDocument | { reason: string } {
  try {
    return parsePageTree(page);
  } catch (error) {
    if (error instanceof PageRejected) return { reason: error.message };
    throw error;
  }
}

function nothingOf(parser: CompiledParser): Record<string, unknown> {
  return Object.fromEntries(parser.fields.map(({ name }) => [name, null]));
}

function tracesOf({ traces }: PageState): Pick<Extraction, 'explain'> {
  return traces === undefined ? {} : { explain: traces };
}

/** Whether scripts seem to fill the page; judged where a field found nothing, or facts alone are read. */
function shellOf(
  { reports, document, page }: PageState,
  parser: CompiledParser,
): Pick<Extraction, 'looksScripted'> {
  const isMissing = parser.readsFactsAlone || reports.some(({ matched }) => !matched);
  return isMissing && !isPdfPage(page) && looksScripted(document) ? { looksScripted: true } : {};
}

/** Runs the parser over a parsed page. */
export function extractFrom(
  parser: CompiledParser,
  document: PageDocument,
  page: Page,
  { explain = false, partial = false, refusesEmpty = false, rowsAt }: ExtractOptions = {},
): Extraction {
  let state = createPageState(page, document, parser.paths, { explain, rowsAt });
  let data: ReturnType<typeof readFields>;
  const read = (): ReturnType<typeof readFields> => {
    startBudget(partial ? RESULT_LIMITS.triedText : RESULT_LIMITS.builtText);
    return readFields(state, parser.fields, { kind: 'element', element: null });
  };
  try {
    data = read();
    // The certain numbers of a list are known only now, and can refuse some that were read before.
    if ([...state.columns.values()].map(settleColumn).includes(true)) {
      state = { ...state, ...startReports(parser.paths, explain) };
      data = read();
    }
    const isEmpty = refusesEmpty && parser.mustMatch && !state.hasMatched;
    if (data !== DROPPED && state.failureCount === 0 && !isEmpty) {
      const shell = explain || partial || parser.readsFactsAlone ? shellOf(state, parser) : {};
      const relative = state.relative.length === 0 ? {} : { relative: Object.fromEntries(state.relative) };
      return { ok: true, data, fields: state.reports, ...tracesOf(state), ...shell, ...relative };
    }
  } catch (error) {
    // A RangeError means that the page exhausted the stack or the maximum length of a string. It is not our fault.
    if (!(error instanceof ExtractionStopped || error instanceof RangeError)) throw error;
    const failure = stopped(state, error.message);
    const data = partial ? { data: nothingOf(parser) } : {};
    return { ok: false, failure, fields: state.reports, ...data, ...tracesOf(state) };
  }
  return {
    ok: false,
    failure: state.failureCount === 0 ? nothingOn(page) : failureOf(state.failures, state.failureCount),
    fields: state.reports,
    ...(partial && data !== DROPPED ? { data } : {}),
    ...tracesOf(state),
    ...shellOf(state, parser),
  };
}

/** Runs the parser over what `parsePage` gave. */
export function extractParsed(
  parser: CompiledParser,
  document: ReturnType<typeof parsePage>,
  page: Page,
  options: ExtractOptions = {},
): Extraction {
  if ('reason' in document) {
    return { ok: false, failure: rejection(document.reason), fields: emptyReports(parser) };
  }
  const extraction = extractFrom(parser, document, page, options);
  if (options.structure === true) extraction.structure = structureOf(document);
  return extraction;
}

/**
 * Parses the page once and reads every field from it. Synchronous and pure. Faults of the page or its values are
 * returned as failures and never thrown. Only a selector that never ends needs the pool to kill it.
 */
export function extract(parser: CompiledParser, page: Page, options: ExtractOptions = {}): Extraction {
  return extractParsed(parser, parsePage(page), page, options);
}
