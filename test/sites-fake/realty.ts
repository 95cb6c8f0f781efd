import {
  blockPage,
  buildingPage,
  buildingRow,
  detailPage,
  property,
  searchPage,
  searchRow,
} from '../../packages/extractors/src/sites/fixtures/realty.ts';
import { htmlPage } from '../../packages/extractors/src/sites/fixtures/page.ts';
import { type FakeAnswer, type FakeSite, html, notFound, redirect } from './fake-site.ts';

/** 90 listings in three pages. */
export const QUERY = 'Springfield, IL';
/** Leads straight to one home. */
export const ADDRESS_QUERY = '12 Elm St Springfield IL';
export const EMPTY_QUERY = 'Nowhere, IL';
/** Blocked until a browser has run the page's script. */
export const CHALLENGED_QUERY = 'Challenged City';
export const BLOCKED_QUERY = 'Blocked City';

export const ZPID = 10_000_001;

const PAGE_SIZE = 40;
const TOTAL = 90;

function searchAt(slug: string, page: number): FakeAnswer {
  const start = (page - 1) * PAGE_SIZE;
  const count = Math.max(0, Math.min(PAGE_SIZE, TOTAL - start));
  if (count === 0) return notFound();
  const rows = Array.from({ length: count }, (_unused, index) => searchRow(ZPID + start + index));
  if (page === 1) rows[1] = buildingRow();
  const hasNext = start + count < TOTAL;
  return html(
    searchPage({ rows, total: TOTAL, page, ...(hasNext ? { nextUrl: `/${slug}/${page + 1}_p/` } : {}) }),
  );
}

/** The real-estate site with its bot protection. */
export const realtyFake: FakeSite = ({ path, cookies }) => {
  const query = /^\/homes\/(.+)_rb\/$/.exec(path)?.[1]?.toLowerCase();
  if (query === 'blocked-city') return html(blockPage(), 403);
  if (query === 'challenged-city') {
    return cookies['px_passed'] === undefined
      ? html(blockPage({ passes: true }), 403)
      : searchAt('challenged-city', 1);
  }
  if (query?.startsWith('12-elm-st'))
    return redirect(`/homedetails/12-Elm-St-Springfield-IL-62701/${ZPID}_zpid/`);
  if (query === 'nowhere-il') return html(searchPage({ rows: [], total: 0 }));
  if (query !== undefined) return redirect(`/${query}/`);
  const [, slug = '', page = '1'] = /^\/([a-z]+(?:-[a-z0-9]+)*)\/(?:(\d+)_p\/)?$/.exec(path) ?? [];
  if (slug !== '' && slug !== 'homes') return searchAt(slug, Number(page));
  const zpid = Number(/^\/homedetails\/(?:[^/]+\/)?(\d+)_zpid\/?$/.exec(path)?.[1]);
  if (zpid >= ZPID && zpid < ZPID + TOTAL) {
    return html(detailPage({ [`ForSalePriorityQuery{"zpid":${zpid}}`]: property(zpid) }));
  }
  if (path.startsWith('/apartments/')) return html(buildingPage());
  return path === '/' ? html(htmlPage({ title: 'Zillow' })) : notFound();
};
