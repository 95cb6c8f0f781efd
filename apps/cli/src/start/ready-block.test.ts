import { expect, it } from 'vitest';
import { readyBlock } from './ready-block.ts';

const KEY = 'gln_0123456789abcdef';
const LINK = 'http://127.0.0.1:3000/sign-in#secret';

function blockOf(isTerminal: boolean): string {
  return readyBlock({
    credentials: {
      base_url: 'http://127.0.0.1:3000',
      api_key: KEY,
      account_id: 'acc_1',
      operator_password: 'of the operator',
    },
    isNew: true,
    signInUrl: LINK,
    dataDir: '/data',
    isTerminal,
  });
}

it('shows key and sign-in link on a terminal', () => {
  expect(blockOf(true)).toContain(KEY);
  expect(blockOf(true)).toContain(LINK);
});

it('leaves no secret in a log, and says where the key is', () => {
  const block = blockOf(false);
  expect(block).not.toContain(KEY);
  expect(block).not.toContain(LINK);
  expect(block).toContain('API key    in /data/credentials.json');
  expect(block).toContain('curl -s http://127.0.0.1:3000/v1/parsers/preview');
});
