import type { ErrorCode } from '@gleaner/client';

/** The remedy for a cause of failure, by the stable text of the error. */
const ADVICE: Readonly<Record<string, string>> = {
  'fetch failed':
    'The site refused, answered with an error or could not be reached. If the address opens for you, try a browser or another proxy tier.',
  'fetch timed out': 'The site took too long. Retry later, or raise the timeout.',
  'target blocked': 'The site answered with a bot check or a login. Try a browser or a better proxy tier.',
  'extraction failed':
    'The pages were fetched, but they lack what the parser needs. Open one in the studio to see the difference.',
  'target not found': 'The page is gone or private. A retry will not help.',
  'site changed': 'The site has changed, and this API no longer reads it. Report it to the operator.',
  'temporarily unavailable':
    'A part of Gleaner was not available, or a proxy tier is not configured. Retry later.',
  'insufficient credits': 'Credits ran out. Add some, then retry.',
} satisfies { readonly [Code in ErrorCode]?: string };

const GONE = 'The site has no page at this address. Check the address; a retry will not help.';
const BY_STATUS: Readonly<Record<string, string>> = {
  404: GONE,
  410: GONE,
  429: 'The site limits the rate of requests. Retry later, or with a lower concurrency.',
  500: 'The site itself failed. Retry later.',
  502: 'The site itself failed. Retry later.',
  503: 'The site is overloaded or under maintenance. Retry later.',
};

interface Failed {
  error: string;
  /** It often names the status that the site answered. */
  detail?: string | undefined;
  hint?: string | undefined;
}

/** The status that the site answered. */
function statusOf({ error, detail }: Failed): string | undefined {
  return error === 'fetch failed' ? /\bstatus (\d{3})\b/.exec(detail ?? '')?.[1] : undefined;
}

/** Errors that may be gone the next time, with nothing changed. */
const PASSING: readonly string[] = [
  'fetch failed',
  'fetch timed out',
  'temporarily unavailable',
  'insufficient credits',
] satisfies readonly ErrorCode[];

/** Whether running the pages again may help before anything else is changed. */
export function helpsToRetry(failed: Failed): boolean {
  return PASSING.includes(failed.error) && BY_STATUS[statusOf(failed) ?? ''] !== GONE;
}

export function adviceFor({ error, detail, hint }: Failed): string {
  const status = statusOf({ error, detail });
  if (/^column .{1,64} of table .{1,64} is .* does not fit/.test(detail ?? ''))
    return 'The page was read, but a value does not fit the type of its column. Change the type of the field or of the column, or choose another table.';
  return BY_STATUS[status ?? ''] ?? hint ?? ADVICE[error] ?? 'Read the detail of the example, then retry.';
}
