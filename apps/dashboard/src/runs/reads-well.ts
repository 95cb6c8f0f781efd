import type { CallOutput } from '../api/call.ts';

type HostHealth = CallOutput<'getParserHealth'>['hosts'][number];

/** How the health names all hosts beyond the first ones of a version. */
const OTHER_HOSTS = '*';

/** Whether a parser reads a page's host well now: with its current version, and with each that has read it since this moment. */
export function readsWellSince(
  hosts: readonly HostHealth[],
  { url, at }: { url: string; at: string },
): boolean {
  const host = URL.parse(url)?.hostname;
  const own = hosts.filter((one) => one.host === host);
  const since = (own.length > 0 ? own : hosts.filter((one) => one.host === OTHER_HOSTS)).filter(
    (one) => Date.parse(one.updated_at) >= Date.parse(at),
  );
  return since.some((one) => one.is_current) && since.every(({ state }) => state === 'healthy');
}
