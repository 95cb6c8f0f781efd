/** The initial values of a form, from its address. */
export interface TargetSearch {
  parser?: string;
  api?: string;
  url?: string;
  /** A batch whose pages are taken. */
  batch?: string;
  /** A database that gets the rows. */
  database?: string;
}

export function readTargetSearch({
  parser,
  api,
  url,
  batch,
  database,
}: Record<string, unknown>): TargetSearch {
  return {
    ...(typeof parser === 'string' ? { parser } : {}),
    ...(typeof api === 'string' ? { api } : {}),
    ...(typeof url === 'string' ? { url } : {}),
    ...(typeof batch === 'string' ? { batch } : {}),
    ...(typeof database === 'string' ? { database } : {}),
  };
}
