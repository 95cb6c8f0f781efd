import { createClient } from '@gleaner/client';
import * as contracts from '@gleaner/contracts';
import { expect, test } from 'vitest';
import { callOn } from './call.ts';
import { METHODS, type CalledName } from './methods.ts';

function urlOf(input: RequestInfo | URL): string {
  return input instanceof Request ? input.url : new URL(input, 'http://x').href.slice('http://x'.length);
}

const operations: Pick<typeof contracts, CalledName> = { ...contracts };

test('each operation goes to its own address, with its query and its body', async () => {
  let sent = '';
  const client = createClient({
    baseUrl: '',
    retries: 0,
    fetch: async (input, init) => {
      sent = `${init?.method} ${urlOf(input)} ${typeof init?.body === 'string' ? init.body : ''}`.trim();
      return new Response('{}');
    },
  });
  for (const name of Object.keys(METHODS) as CalledName[]) {
    const { method, path } = operations[name];
    const names: readonly string[] = METHODS[name].slice(2);
    const params = Object.fromEntries(
      names.filter((arg) => arg !== 'body' && arg !== 'query').map((arg) => [arg, `a-${arg}`]),
    );
    await callOn(client, name, { params, query: { q: 'a' }, body: { b: 1 } }, {});
    const address = path.replaceAll(/\{(\w+)\}/g, 'a-$1');
    const query = names.includes('query') ? '?q=a' : '';
    const body = names.includes('body') ? ' {"b":1}' : '';
    expect(sent, name).toBe(`${method} ${address}${query}${body}`);
  }
});
