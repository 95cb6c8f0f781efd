import type { ApiId } from '@gleaner/contracts';

/** A response that was fetched or recorded. */
export interface SiteResponse {
  /** What was asked for. Empty for a recording whose address is unknown. */
  url: string;
  /** Where redirects led. */
  finalUrl?: string;
  status: number;
  /** Lower-case names. */
  headers?: Record<string, string>;
  /** Cookies that the answer set. */
  cookies?: Record<string, string>;
  contentType?: string;
  body: string;
}

export type SiteFailure =
  | 'invalid_input'
  | 'not_found'
  | 'private'
  | 'blocked'
  | 'rate_limited'
  | 'unrecognised';

export type SiteOutcome =
  | { outcome: 'ok'; data: Record<string, unknown> }
  | {
      outcome: SiteFailure;
      /** What in the response says so: a status, a sentence of the page, the name of a wall. */
      evidence: string;
      /** The same is seen in another case: weaker than a wall, which may be the cause. */
      isDoubtful?: true;
      /** The part of the input that is at fault. */
      field?: string;
    };

/** The validated fields of the API's input. */
export type SiteInput = Readonly<Record<string, unknown>>;

export interface SiteRequest {
  method: 'GET' | 'POST' | 'PUT';
  /** Always on the configured origin of the site. */
  url: string;
  headers: Record<string, string>;
  cookies: Record<string, string>;
  body?: string;
  /** Browser only: a CSS selector that matches once the page is past its challenge. */
  waitFor?: string;
}

export type FetchMode = 'http' | 'browser';

/**
 * What to do next for one answer. Any status is an answer: the fetcher hands 404, 403, 429 and 999 back as they are. A browser
 * fetch in which `waitFor` never matched is handed back with status 0 and an empty body: the plan then keeps what it knew.
 */
export type SiteStep =
  | { kind: 'fetch'; request: SiteRequest; mode: FetchMode }
  | { kind: 'done'; outcome: SiteOutcome };

/** A plan as a generator: it yields what to fetch, is handed each response, and returns the outcome. */
export type SitePlan = Generator<{ request: SiteRequest; mode: FetchMode }, SiteOutcome, SiteResponse>;

/** A reference that may not be fetched, told as a field error. */
export interface InputFault {
  field: string;
  detail: string;
  hint?: string;
}

export interface Site {
  id: ApiId;
  /** Reads the responses of one answer, in any order: each is told by its content. */
  extract: (responses: readonly SiteResponse[], input: SiteInput) => SiteOutcome;
  /** The requests of one answer. `input` has passed `check`. */
  plan: (input: SiteInput, config: SitesConfig) => SitePlan;
  /** What zod can not know: whether an address belongs to the site. */
  check: (input: SiteInput, config: SitesConfig) => InputFault | undefined;
}

export interface SitesConfig {
  origins: Record<'photoapp' | 'videosite' | 'shortvideo' | 'realty' | 'pronet', string>;
  /** Client version sent in the context of the video site's JSON requests. */
  videositeClientVersion: string;
  /** The web app id of the photo network. */
  photoappAppId: string;
  /** Ids of stored GraphQL documents of the photo network; they rotate every few weeks. */
  photoappDocIds: {
    timeline: string;
    timelineNext: string;
    clips: string;
    clipsNext: string;
    loggedOutPosts: string;
  };
  /** Sent with every request that is meant to look like a page visit. */
  userAgent: string;
  language: string;
}
