/** The remedy for a cause of failure, by the stable text of the error. */
const ADVICE: Readonly<Record<string, string>> = {
  'fetch failed':
    'The site refused, answered an error or could not be reached. If the address opens for you, try a browser or another proxy tier.',
  'fetch timed out': 'The site took too long. Retry later, or give the page more time.',
  'target blocked': 'The site met us with a bot check or a login. A browser or a better proxy tier may pass.',
  'extraction failed':
    'The pages came, but what the parser needs was not in them. Open one in the studio to see what is different.',
  'target not found': 'The thing is gone or private. There is nothing to retry.',
  'site changed': 'The site looks different from what the reader knows. Report it to the operator.',
  'temporarily unavailable':
    'A part of Gleaner was away, or a proxy tier is not configured. Retry when it is back.',
  'insufficient credits': 'Credits ran out. Add some, then retry.',
};

export function adviceFor(error: string): string {
  return ADVICE[error] ?? 'Read the detail of the example, then retry.';
}
