// Generated from the operation table of @gleaner/contracts by `npm run docs`; don't edit.
/** Stable texts of the service's errors: docs/use/errors.md. */
export type ErrorText = 'invalid request' | 'invalid or inactive api_key' | 'not allowed' | 'forbidden host' | 'invalid token' | 'insufficient scope' | 'unlinked subject' | 'insufficient credits' | 'not found' | 'method not allowed' | 'target not found' | 'idempotency conflict' | 'already finished' | 'name taken' | 'in use' | 'count changed' | 'regression' | 'cursor expired' | 'html too large' | 'body too large' | 'unsupported media type' | 'expectation failed' | 'extraction failed' | 'batch writes to a database' | 'rate limit exceeded' | 'concurrency limit exceeded' | 'plan limit exceeded' | 'pending limit' | 'fetch failed' | 'target blocked' | 'site changed' | 'temporarily unavailable' | 'fetch timed out' | 'internal error';

/** Version of this client. */
export const VERSION = '0.2.0-dev';

/** States of runs that have not ended. */
export const UNFINISHED_STATES: readonly string[] = ['pending', 'running'];
