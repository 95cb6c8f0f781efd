export const PAGE_SIDES = ['page', 'data', 'fetch'] as const;
export type PageSide = (typeof PAGE_SIDES)[number];

/** The studio's state in its address. */
export interface StudioSearch {
  /** The address of a page. Opening it costs credits, so the person does that: a link from elsewhere spends nothing. */
  open?: string | undefined;
  /** A page that a run kept, by its id; it opens as it was fetched. */
  kept?: string | undefined;
  /** Which of the parsers that aren't saved yet. */
  draft?: string | undefined;
  /** A page that comes along, by its name. */
  example?: string | undefined;
  /** The page that asked for a parser: its address, in which `prs_made` stands for the saved one. */
  back?: string | undefined;
  /** The selected field: `items.price`. */
  field?: string | undefined;
  /** What is shown on the left; without it the page, or the data of one that is JSON. */
  left?: PageSide | undefined;
  fields?: 'json' | undefined;
  result?: 'json' | undefined;
}

/** What names the work on a new parser. */
export const DRAFT_ID = /^new\w*$/;

function text(value: unknown, maxLength: number, pattern = /^/): string | undefined {
  const isText = typeof value === 'string' && value !== '' && value.length <= maxLength;
  return isText && pattern.test(value) ? value : undefined;
}

export function readStudioSearch(search: Record<string, unknown>): StudioSearch {
  return {
    open: text(search.open, 2000),
    kept: text(search.kept, 60),
    draft: text(search.draft, 40, DRAFT_ID),
    example: text(search.example, 40),
    // Only a page of this dashboard.
    back: text(search.back, 8_000, /^\/crawls\/run_\w+\?/),
    field: text(search.field, 500),
    left: PAGE_SIDES.find((side) => side === search.left),
    fields: search.fields === 'json' ? 'json' : undefined,
    result: search.result === 'json' ? 'json' : undefined,
  };
}
