import type { CDPSession } from 'playwright';

function majorOf(version: string): string {
  return version.split('.')[0] ?? '';
}

/** The user agent of the same Chromium in headed mode. */
export function userAgentOf(version: string): string {
  return `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${majorOf(version)}.0.0.0 Safari/537.36`;
}

/** Replaces the client hints and user agent, which otherwise identify headless Chromium. */
export async function hideHeadless(
  client: CDPSession,
  version: string,
  {
    userAgent = userAgentOf(version),
    acceptLanguage,
  }: { userAgent?: string; acceptLanguage?: string | undefined },
): Promise<void> {
  const major = majorOf(version);
  await client.send('Emulation.setUserAgentOverride', {
    userAgent,
    ...(acceptLanguage === undefined ? {} : { acceptLanguage }),
    platform: 'Linux x86_64',
    userAgentMetadata: {
      brands: [
        { brand: 'Chromium', version: major },
        { brand: 'Google Chrome', version: major },
        { brand: 'Not_A Brand', version: '8' },
      ],
      fullVersion: version,
      platform: 'Linux',
      platformVersion: '',
      architecture: 'x86',
      model: '',
      mobile: false,
    },
  });
}
