import type { Engine, SiteName } from '@gleaner/contracts';

/** A response that was fetched or recorded. */
export interface SiteResponse {
  /** The requested address. Empty for a recording with an unknown address. */
  url: string;
  /** The address after redirects. */
  finalUrl?: string;
  status: number;
  /** Lower-case names. */
  headers?: Record<string, string>;
  /** Cookies that the response set. */
  cookies?: Record<string, string>;
  contentType?: string;
  body: string;
}

/** The responses of one answer. */
export type SiteResponses = readonly SiteResponse[];

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
      /** The evidence in the response: a status, a sentence of the page, the name of a wall. */
      evidence: string;
      /** The evidence has other possible causes, so it is weaker than a wall. */
      isDoubtful?: true;
      /** The invalid field of the input. */
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
  /** Makes it a browser's request: a CSS selector that matches once the page is past its challenge. */
  waitFor?: string;
}

/**
 * The next step for one answer. The fetcher returns responses of any status, such as 404, 403, 429 and 999. For a
 * browser fetch in which `waitFor` never matched, it returns status 0 and an empty body, and the plan keeps its evidence.
 */
export type SiteStep =
  | { kind: 'fetch'; request: SiteRequest; mode: Engine }
  | { kind: 'done'; outcome: SiteOutcome };

/** Steps of a plan: yields requests, receives their responses, and returns what they give. */
export type SiteSteps<T> = Generator<SiteRequest, T, SiteResponse>;

/** The requests of one answer, which end with its outcome. */
export type SitePlan = SiteSteps<SiteOutcome>;

/** Reads the responses of one answer in any order, and identifies each by its content. */
export type SiteReader = (responses: SiteResponses, input: SiteInput) => SiteOutcome;

/** The error of an input field with an address that may not be fetched. */
export interface InputFault {
  field: string;
  detail: string;
  hint?: string;
}

export interface Site {
  extract: SiteReader;
  /** The requests of one answer. `input` has passed `check`. */
  plan: (input: SiteInput, config: SitesConfig) => SitePlan;
  /** Checks that zod can't express: whether an address belongs to the site. */
  check?: (input: SiteInput, config: SitesConfig) => InputFault | undefined;
}

export interface SitesConfig {
  origins: Record<SiteName, string>;
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
