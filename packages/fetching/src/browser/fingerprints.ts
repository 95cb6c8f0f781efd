import type { BrowserContext, BrowserContextOptions } from 'playwright';

/** A visitor's looks: what the context is made with, and what is put into its pages. */
export interface Fingerprint {
  contextOptions: BrowserContextOptions;
  attach(context: BrowserContext): Promise<void>;
}

export interface Fingerprints {
  /** The same key has the same looks as long as it is remembered. */
  get(key: string): Fingerprint;
}

const MAX_REMEMBERED = 2_000;

/** Desktop Chrome on Linux: what the engine really is, so that nothing contradicts the generated values. */
const LIKE_OURS = {
  browsers: ['chrome' as const],
  operatingSystems: ['linux' as const],
  devices: ['desktop' as const],
};

/** Crawlee's fingerprint suite, loaded when the first fetch needs it. */
export async function createFingerprints(): Promise<Fingerprints> {
  const [{ FingerprintGenerator }, { FingerprintInjector }] = await Promise.all([
    import('fingerprint-generator'),
    import('fingerprint-injector'),
  ]);
  const generator = new FingerprintGenerator(LIKE_OURS);
  const injector = new FingerprintInjector();
  const remembered = new Map<string, Fingerprint>();

  const make = (): Fingerprint => {
    const made = generator.getFingerprint();
    const { navigator, screen } = made.fingerprint;
    return {
      contextOptions: {
        userAgent: navigator.userAgent,
        viewport: { width: screen.width, height: Math.max(400, screen.height - 120) },
        screen: { width: screen.width, height: screen.height },
      },
      attach: (context) => injector.attachFingerprintToPlaywright(context, made),
    };
  };

  return {
    get: (key) => {
      const fingerprint = remembered.get(key) ?? make();
      remembered.delete(key);
      remembered.set(key, fingerprint);
      if (remembered.size > MAX_REMEMBERED) remembered.delete(remembered.keys().next().value ?? '');
      return fingerprint;
    },
  };
}
