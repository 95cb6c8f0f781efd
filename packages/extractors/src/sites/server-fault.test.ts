import { API_IDS, type ApiId } from '@gleaner/contracts';
import { describe, expect, it } from 'vitest';
import { defaultSitesConfig } from './config.ts';
import { htmlPage, response } from './fixtures/page.ts';
import { blockPage } from './fixtures/realty.ts';
import { challengePage } from './fixtures/shortvideo.ts';
import { extractSite, nextStep } from './index.ts';
import type { SiteResponse, SiteStep } from './types.ts';

const BODIES = ['', 'busy', '{}', '{"error":{"code":503,"status":"UNAVAILABLE","message":"busy"}}'];
const PAGES = [htmlPage({ title: 'Service Unavailable' }), htmlPage({ title: 'This page isn’t available' })];

describe('a fault of the site’s servers', () => {
  it.each(API_IDS)('%s reports it by its status, and never as a wall or an absent target', (id) => {
    for (const body of [...BODIES, ...PAGES]) {
      const outcome = extractSite(id, {}, [response(body, { status: 503 })]);
      expect(outcome, body).toEqual({ outcome: 'unrecognised', evidence: 'status 503' });
    }
  });

  it.each([
    ['photoapp-profile', '<html><title>Login • Instagram</title></html>'],
    ['videosite-search', '<html><title>Before you continue to YouTube</title></html>'],
    ['shortvideo-profile', challengePage()],
    ['realty-search', blockPage()],
    ['pronet-post', '<html><title>Sign Up | LinkedIn</title></html>'],
  ] as const)('%s still reports a wall that comes with such a status', (id, body) => {
    expect(extractSite(id, {}, [response(body, { status: 503 })]).outcome).toBe('blocked');
  });
});

describe('the visit in a browser', () => {
  const inputs: [ApiId, Record<string, unknown>][] = [
    ['shortvideo-profile', { username: 'harbourbakery' }],
    ['shortvideo-video', { url: 'https://www.tiktok.com/@x/video/7000000000000000002' }],
    ['realty-search', { query: 'Springfield, IL' }],
    ['realty-details', { url: 'https://www.zillow.com/homedetails/10000001_zpid/' }],
  ];
  const stepOf = (id: ApiId, input: Record<string, unknown>, responses: SiteResponse[]): SiteStep =>
    nextStep(id, input, defaultSitesConfig, responses);
  const unknown = response(htmlPage({ title: 'A page of another kind' }));

  it.each(inputs)('%s: keeps the evidence of the first page when the selector never matched', (id, input) => {
    const plain = extractSite(id, input, [unknown]);
    expect(plain.outcome).toBe('unrecognised');
    expect(stepOf(id, input, [unknown])).toMatchObject({ kind: 'fetch', mode: 'browser' });
    expect(stepOf(id, input, [unknown, response('', { status: 0 })])).toEqual({
      kind: 'done',
      outcome: plain,
    });
  });

  it.each(inputs)('%s: is not made when the site’s servers fail', (id, input) => {
    expect(stepOf(id, input, [response('', { status: 503 })])).toEqual({
      kind: 'done',
      outcome: { outcome: 'unrecognised', evidence: 'status 503' },
    });
  });
});
