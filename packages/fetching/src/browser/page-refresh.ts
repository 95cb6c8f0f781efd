/** The content of `<meta http-equiv="refresh">`. Runs in the page. */
export function refreshOf(): string | undefined {
  return (
    document.querySelector('meta[http-equiv="refresh" i][content]')?.getAttribute('content') ?? undefined
  );
}

/** The delay of a refresh, from a meta's `content` or the header. The browser reads the URL itself. */
export function readRefreshDelayMs(refresh: string | undefined): number | undefined {
  const seconds = /^\s*(\d+|(?=\.))/.exec(refresh ?? '');
  return seconds === null ? undefined : Number(seconds[1]) * 1_000;
}
