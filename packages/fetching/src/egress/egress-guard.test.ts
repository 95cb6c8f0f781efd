import { AppError } from '@gleaner/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { INNER_URLS, loopbackUrls, PUBLIC_ADDRESSES } from '../testing/hostile-urls.ts';
import {
  createEgressGuard,
  guardedAddress,
  isPublicAddress,
  NOTHING_ALLOWED,
  parseAddress,
  parseEgressAllow,
  type ResolveHost,
} from './index.ts';
import { parseTargetUrl } from './target-url.ts';

function guardWith(allow = '', resolve?: ResolveHost) {
  return createEgressGuard({ allow: parseEgressAllow(allow), resolve });
}

function portOf(url: URL): number {
  return Number(url.port || (url.protocol === 'https:' ? 443 : 80));
}

async function decideUrl(guard: ReturnType<typeof guardWith>, text: string): Promise<unknown> {
  const url = parseTargetUrl(text);
  return guard.decide(url.hostname, portOf(url));
}

describe('the egress decision', () => {
  it.each([...loopbackUrls(8080), ...INNER_URLS])('refuses %j', async (url) => {
    const guard = guardWith('', async () => ['127.0.0.1']);
    const error = await decideUrl(guard, url).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({ code: 'fetch_failed', retryable: false });
  });

  it.each(PUBLIC_ADDRESSES)('lets the public address %s through', (address) => {
    const parsed = parseAddress(address);
    expect(parsed !== undefined && isPublicAddress(parsed)).toBe(true);
  });

  it('refuses a name when any of its addresses is not public', async () => {
    const guard = guardWith('', async () => ['93.184.216.34', '10.0.0.7']);
    await expect(guard.decide('mixed.example.com', 443)).rejects.toMatchObject({ code: 'fetch_failed' });
  });

  it('refuses a name whose AAAA record hides an IPv4 address', async () => {
    const guard = guardWith('', async () => ['::ffff:127.0.0.1']);
    await expect(guard.decide('mapped.example.com', 443)).rejects.toMatchObject({ code: 'fetch_failed' });
  });

  it('says the same words for everything it refuses, and never the address', async () => {
    const guard = guardWith('', async () => ['10.11.12.13']);
    const words = await Promise.all(
      [
        'http://10.11.12.13/',
        'http://public.example.com/',
        'http://redis/',
        'http://[fd00::1]/',
        'http://1.1.1.1:22/',
      ].map(async (url) =>
        JSON.stringify(await decideUrl(guard, url).catch((error: AppError) => error.toBody())),
      ),
    );
    expect(new Set(words).size).toBe(1);
    expect(words[0]).toContain('target not allowed');
    expect(words[0]).not.toContain('10.11');
  });

  it('connects to what it checked: a name that changes its mind is asked once', async () => {
    const answers = [['93.184.216.34'], ['127.0.0.1']];
    let asked = 0;
    const guard = createEgressGuard({
      allow: NOTHING_ALLOWED,
      resolve: async () => {
        asked += 1;
        return answers[asked - 1] ?? [];
      },
    });
    const first = await guard.decide('rebind.example.com', 443);
    const second = await guard.decide('rebind.example.com', 443);
    expect(first).toEqual([{ address: '93.184.216.34', family: 4 }]);
    expect(second).toEqual(first);
    expect(asked).toBe(1);
  });

  it('decides anew when the pinned answer has expired', async () => {
    let time = 1;
    const answers = [['93.184.216.34'], ['127.0.0.1']];
    const guard = createEgressGuard({
      allow: NOTHING_ALLOWED,
      now: () => time,
      pinMs: 1_000,
      resolve: async () => answers.shift() ?? [],
    });
    await guard.decide('rebind.example.com', 443);
    time = 1_002;
    await expect(guard.decide('rebind.example.com', 443)).rejects.toMatchObject({ code: 'fetch_failed' });
  });

  it('holds for every IPv4 address: public and allowed pass, all others do not', async () => {
    const guard = guardWith('10.1.0.0/16');
    await fc.assert(
      fc.asyncProperty(fc.ipV4(), async (address) => {
        const parsed = parseAddress(address);
        const isOpen = parsed !== undefined && (isPublicAddress(parsed) || address.startsWith('10.1.'));
        const passed = await guard.decide(address, 443).then(
          () => true,
          () => false,
        );
        expect(passed).toBe(isOpen);
      }),
      { numRuns: 500 },
    );
  });
});

describe('GLEANER_EGRESS_ALLOW', () => {
  it('opens networks, single addresses and places, and nothing beside them', async () => {
    const guard = guardWith('10.1.0.0/16, 192.168.7.7 intranet:8080,[::1]:9000');
    await expect(guard.decide('10.1.2.3', 80)).resolves.toHaveLength(1);
    await expect(guard.decide('192.168.7.7', 80)).resolves.toHaveLength(1);
    await expect(guard.decide('[::1]', 9000)).resolves.toHaveLength(1);
    await expect(guard.decide('10.2.0.1', 80)).rejects.toThrow('target not allowed');
    await expect(guard.decide('192.168.7.8', 80)).rejects.toThrow('target not allowed');
    await expect(guard.decide('[::1]', 9001)).rejects.toThrow('target not allowed');
  });

  it('opens a name on one port, wherever it is', async () => {
    const guard = guardWith('intranet:8080', async () => ['10.0.0.9']);
    await expect(guard.decide('intranet', 8080)).resolves.toEqual([{ address: '10.0.0.9', family: 4 }]);
    await expect(guard.decide('intranet', 8081)).rejects.toThrow('target not allowed');
    await expect(guard.decide('other', 8080)).rejects.toThrow('target not allowed');
  });

  it('opens localhost with its address, without asking a resolver', async () => {
    const guard = guardWith('127.0.0.1/32', async () => {
      throw new Error('asked');
    });
    await expect(guard.decide('localhost', 8080)).resolves.toEqual([{ address: '127.0.0.1', family: 4 }]);
  });

  it.each(['10.0.0.0/33', 'intranet', 'http://intranet:80', 'a b', '10.0.0.0/', ':80', 'user@host:80'])(
    'names a faulty entry: %j',
    (text) => {
      expect(() => parseEgressAllow(text)).toThrow(/GLEANER_EGRESS_ALLOW: "/);
    },
  );

  it('gives external databases the checked address, on any port', async () => {
    const guard = guardWith('', async (host) => [host === 'db.example.com' ? '93.184.216.34' : '10.0.0.1']);
    await expect(guardedAddress(guard, 'db.example.com', 5432)).resolves.toEqual({
      address: '93.184.216.34',
      family: 4,
    });
    await expect(guardedAddress(guard, 'inner.example.com', 5432)).rejects.toThrow('target not allowed');
  });
});
