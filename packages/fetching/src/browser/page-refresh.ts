/** The page's own wish to be replaced, as it stands in `<meta http-equiv="refresh">`. Runs in the page. */
export function refreshOf(): string | undefined {
  return (
    document.querySelector('meta[http-equiv="refresh" i][content]')?.getAttribute('content') ?? undefined
  );
}

/** The delay of a refresh (a meta's `content`, or the header), of which the URL is left to the browser. */
export function readRefreshDelayMs(refresh: string | undefined): number | undefined {
  const seconds = /^\s*(\d+|(?=\.))/.exec(refresh ?? '');
  return seconds === null ? undefined : Number(seconds[1]) * 1_000;
}
