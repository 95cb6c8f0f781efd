/** The parts of a normalised address that patterns and scopes compare. */
export interface Address {
  whole: string;
  /** Host and port, then the path and the query: what follows `https://`. */
  afterScheme: string;
  /** Host, and the port unless it is the scheme's own. */
  host: string;
  path: string;
  pathAndQuery: string;
}

/** Splits an address that `normalise` made: it has a host, a path, no user and no fragment. */
export function splitAddress(whole: string): Address {
  const afterScheme = whole.slice(whole.indexOf('://') + 3);
  const slash = afterScheme.indexOf('/');
  const pathAndQuery = afterScheme.slice(slash);
  const query = pathAndQuery.indexOf('?');
  return {
    whole,
    afterScheme,
    host: afterScheme.slice(0, slash),
    path: query === -1 ? pathAndQuery : pathAndQuery.slice(0, query),
    pathAndQuery,
  };
}
