import { type FakeRequest, type FakeSite, type RunningSite, serveSite } from './fake-site.ts';
import { photoappFake } from './photoapp.ts';
import { pronetFake } from './pronet.ts';
import { realtyFake } from './realty.ts';
import { shortvideoFake } from './shortvideo.ts';
import { videositeFake } from './videosite.ts';

const SITES = {
  photoapp: photoappFake,
  videosite: videositeFake,
  shortvideo: shortvideoFake,
  realty: realtyFake,
  pronet: pronetFake,
} as const satisfies Record<string, FakeSite>;

export type SiteName = keyof typeof SITES;

export interface SitesFake {
  origins: Record<SiteName, string>;
  /** What makes Gleaner ask the fakes: `GLEANER_SITE_<SITE>_ORIGIN`, and the leave to fetch from loopback. */
  env: Record<string, string>;
  /** Every request so far. */
  requests: (FakeRequest & { site: SiteName })[];
  close: () => Promise<void>;
}

/** Serves the five sites on five ports of loopback: `port` and the four after it, or any when it is 0. */
export async function startSitesFake({ port = 0 }: { port?: number } = {}): Promise<SitesFake> {
  const requests: SitesFake['requests'] = [];
  const running = new Map<SiteName, RunningSite>();
  const close = async (): Promise<void> => {
    await Promise.all([...running.values()].map((site) => site.close()));
  };
  try {
    let offset = 0;
    for (const name of Object.keys(SITES) as SiteName[]) {
      const seen = (request: FakeRequest): void => void requests.push({ ...request, site: name });
      running.set(name, await serveSite(SITES[name], { port: port === 0 ? 0 : port + offset, seen }));
      offset += 1;
    }
  } catch (error) {
    await close();
    throw error;
  }
  const originOf = (name: SiteName): string => running.get(name)?.origin ?? '';
  const origins = {
    photoapp: originOf('photoapp'),
    videosite: originOf('videosite'),
    shortvideo: originOf('shortvideo'),
    realty: originOf('realty'),
    pronet: originOf('pronet'),
  };
  const env = {
    ...Object.fromEntries(
      Object.entries(origins).map(([name, origin]) => [`GLEANER_SITE_${name.toUpperCase()}_ORIGIN`, origin]),
    ),
    GLEANER_EGRESS_ALLOW: Object.values(origins)
      .map((origin) => new URL(origin).host)
      .join(','),
  };
  return { origins, env, requests, close };
}
