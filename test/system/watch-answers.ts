import { callApi } from './start-system.ts';

/** What another process than the test's sees of the API: how long each answer took. */
export interface Watched {
  /** Start in ms of a clock that all processes of a machine share. */
  from: number;
  ms: number;
  path: string;
  status: number;
}

const [baseUrl = '', apiKey = ''] = process.argv.slice(2);
const PATHS = ['/healthz', '/v1/credits'];

for (let n = 0; process.connected; n += 1) {
  const path = PATHS[n % PATHS.length] ?? '';
  const from = Date.now();
  const { status } = await callApi(baseUrl, apiKey, { method: 'GET', path }).catch(() => ({ status: 0 }));
  process.send?.({ from, ms: Date.now() - from, path, status } satisfies Watched);
  await new Promise((resolve) => setTimeout(resolve, 10));
}
