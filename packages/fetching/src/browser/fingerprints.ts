import { LRUCache } from 'lru-cache';
import type { BrowserContext, BrowserContextOptions } from 'playwright';

/** A browser fingerprint: options of the context, and a script for its pages. */
export interface Fingerprint {
  contextOptions: BrowserContextOptions;
  attach(context: BrowserContext): Promise<void>;
}

/** Returns the same fingerprint for the same key while it is cached. */
export type Fingerprints = (key: string) => Fingerprint;

const MAX_REMEMBERED = 2_000;

/** Desktop Chrome on Linux, like the real engine, so that nothing contradicts the generated values. */
const GENERATOR_OPTIONS = {
  browsers: ['chrome' as const],
  operatingSystems: ['linux' as const],
  devices: ['desktop' as const],
};

/** Loads Crawlee's fingerprint suite. Call it when the first fetch needs it. */
export async function createFingerprints(): Promise<Fingerprints> {
  const [{ FingerprintGenerator }, { FingerprintInjector }] = await Promise.all([
    import('fingerprint-generator'),
    import('fingerprint-injector'),
  ]);
  const generator = new FingerprintGenerator(GENERATOR_OPTIONS);
  const injector = new FingerprintInjector();
  const remembered = new LRUCache<string, Fingerprint>({ max: MAX_REMEMBERED });

  const create = (): Fingerprint => {
    const generated = generator.getFingerprint();
    const { navigator, screen } = generated.fingerprint;
    return {
      contextOptions: {
        userAgent: navigator.userAgent,
        viewport: { width: screen.width, height: Math.max(400, screen.height - 120) },
        screen: { width: screen.width, height: screen.height },
      },
      attach: (context) => injector.attachFingerprintToPlaywright(context, generated),
    };
  };

  return (key) => {
    const fingerprint = remembered.get(key) ?? create();
    remembered.set(key, fingerprint);
    return fingerprint;
  };
}
