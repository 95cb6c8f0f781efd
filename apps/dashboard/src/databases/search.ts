export interface RowsSearch {
  /** A column; with a minus in front, greatest first. */
  order?: string | undefined;
  /** JSON, as the API takes it. */
  filter?: string | undefined;
}

export function readRowsSearch(search: Record<string, unknown>): RowsSearch {
  return {
    order: typeof search.order === 'string' && search.order !== '' ? search.order : undefined,
    filter:
      typeof search.filter === 'string'
        ? search.filter
        : typeof search.filter === 'object' && search.filter !== null
          ? JSON.stringify(search.filter)
          : undefined,
  };
}
