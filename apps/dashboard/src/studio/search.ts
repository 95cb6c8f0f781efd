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
  left?: 'data' | 'fetch' | undefined;
  fields?: 'json' | undefined;
  result?: 'json' | undefined;
}

/** Whether this names the work on a new parser. */
export function isDraftId(id: string): boolean {
  return /^new\w*$/.test(id);
}

function text(value: unknown, maxLength: number): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= maxLength ? value : undefined;
}

export function readStudioSearch(search: Record<string, unknown>): StudioSearch {
  return {
    open: text(search.open, 2000),
    kept: text(search.kept, 60),
    draft: isDraftId(text(search.draft, 40) ?? '') ? text(search.draft, 40) : undefined,
    example: text(search.example, 40),
    // Only a page of this dashboard.
    back: /^\/crawls\/run_\w+\?/.test(text(search.back, 8_000) ?? '') ? text(search.back, 8_000) : undefined,
    field: text(search.field, 500),
    left: search.left === 'data' || search.left === 'fetch' ? search.left : undefined,
    fields: search.fields === 'json' ? 'json' : undefined,
    result: search.result === 'json' ? 'json' : undefined,
  };
}
