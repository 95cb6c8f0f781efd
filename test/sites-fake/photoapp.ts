import {
  connection,
  edgeNode,
  embedPage,
  errorPage,
  type FakePost,
  gatedAnswer,
  guestNode,
  mediaNode,
  metaOnlyPage,
  post,
  reducedReel,
  relayPage,
  USER_ID,
  webUser,
} from '../../packages/extractors/src/sites/fixtures/photoapp.ts';
import {
  type FakeAnswer,
  type FakeRequest,
  type FakeSite,
  html,
  json,
  notFound,
  redirect,
} from './fake-site.ts';

/** 45 posts, every third a reel. */
export const USER = 'harbour.bakery';
export const PRIVATE_USER = 'private.baker';
/** Its reels are an empty list to guests. */
const PRIVATE_USER_ID = '4100200399';
/** Its page is a login wall; the call answers. */
export const WALLED_USER = 'walled.baker';
/** Its page has meta elements only and its call is gated; the embed answers. */
export const META_USER = 'meta.baker';
export const LIMITED_USER = 'limited.baker';
/** Its GraphQL calls are refused: the guests' call answers. */
export const GUEST_USER = 'guest.baker';
export const BLOCKED_USER = 'blocked.baker';

export const POSTS: FakePost[] = Array.from({ length: 45 }, (_unused, index) => post(index + 1));
export const REELS: FakePost[] = POSTS.filter((candidate) => candidate.isVideo);

interface Slice {
  nodes: FakePost[];
  hasNext: boolean;
  cursor: string | null;
}

type Language = 'item' | 'guest' | 'legacy' | 'clips';

function cursorOf(language: Language, pk: string): string {
  return language === 'item' ? `${pk}_${USER_ID}` : btoa(`${language}:${pk}`);
}

/** A cursor of another call's language is refused. */
function readCursor(language: Language, cursor: string, list: FakePost[]): number | undefined {
  const index = list.findIndex(({ pk }) => cursorOf(language, pk) === cursor);
  return index === -1 ? undefined : index + 1;
}

function badCursor(): FakeAnswer {
  return json({ message: 'invalid cursor', status: 'fail' }, 400);
}

function slice(
  list: FakePost[],
  { start = 0, count, language }: { start?: number; count: number; language: Language },
): Slice {
  const nodes = list.slice(start, start + count);
  const hasNext = start + count < list.length;
  return { nodes, hasNext, cursor: hasNext ? cursorOf(language, nodes.at(-1)?.pk ?? '') : null };
}

function infoOf({ hasNext, cursor }: Slice): { has_next_page: boolean; end_cursor: string | null } {
  return {
    has_next_page: hasNext,
    end_cursor: cursor,
  };
}

function page(username: string): FakeAnswer {
  if (username === WALLED_USER || username === BLOCKED_USER)
    return redirect(`/accounts/login/?next=/${username}/`);
  if (username === LIMITED_USER)
    return html('<html><title>Instagram</title>Please wait a few minutes</html>', 429);
  if (username === META_USER) return html(metaOnlyPage());
  const first = slice(POSTS, { count: 12, language: 'guest' });
  if (username === USER || username === GUEST_USER) {
    return html(relayPage(first.nodes.map(guestNode), infoOf(first), { username }), 200, {
      'set-cookie': 'csrftoken=fakecsrftoken0001; Path=/',
    });
  }
  if (username === PRIVATE_USER) {
    const text = relayPage([], { has_next_page: false, end_cursor: null }, { username });
    return html(
      text.replaceAll('"is_private":false', '"is_private":true').replaceAll(USER_ID, PRIVATE_USER_ID),
    );
  }
  return html(errorPage(), 404);
}

function webProfile(username: string | null): FakeAnswer {
  if (username === META_USER || username === BLOCKED_USER) return json(gatedAnswer, 401);
  if (username === LIMITED_USER) return json({ message: 'rate limited' }, 429);
  if (username !== USER && username !== WALLED_USER) return json({ data: { user: null }, status: 'ok' }, 404);
  const first = slice(POSTS, { count: 12, language: 'legacy' });
  return json({
    data: { user: webUser(first.nodes.map(edgeNode), infoOf(first), { username }) },
    status: 'ok',
  });
}

interface Variables {
  first?: number;
  after?: string | null;
  username?: string;
  id?: string;
  data?: { count?: number; page_size?: number; target_user_id?: string };
}

function variablesOf(form: URLSearchParams): Variables {
  return JSON.parse(form.get('variables') ?? '{}') as Variables;
}

/** Calls want the token of the page twice: as cookie and as header. */
function hasTokenPair({ cookies, headers }: FakeRequest): boolean {
  return cookies['csrftoken'] !== undefined && cookies['csrftoken'] === headers['x-csrftoken'];
}

function graphql(request: FakeRequest): FakeAnswer {
  if (!hasTokenPair(request)) return html('<html><title>Error</title></html>', 403);
  const variables = variablesOf(new URLSearchParams(request.body));
  const { data, username, first = 12, after } = variables;
  if (data?.target_user_id !== undefined) {
    if (data.target_user_id === PRIVATE_USER_ID) {
      const none = { edges: [], page_info: { has_next_page: false, end_cursor: null } };
      return json({ data: { fetch__XDTUserDict: { clips_connection: none } } });
    }
    if (data.target_user_id !== USER_ID) return json({ data: { fetch__XDTUserDict: null } });
    const start = after ? readCursor('clips', after, REELS) : 0;
    if (start === undefined) return badCursor();
    const found = slice(REELS, { start, count: data.page_size ?? 12, language: 'clips' });
    const edges = found.nodes.map((reel) => ({ node: { media: reducedReel(reel) } }));
    return json({ data: { fetch__XDTUserDict: { clips_connection: { edges, page_info: infoOf(found) } } } });
  }
  if (username !== USER && username !== WALLED_USER) return json({ error: 'document not found' });
  const start = after ? readCursor('item', after, POSTS) : 0;
  if (start === undefined) return badCursor();
  const found = slice(POSTS, { start, count: Math.min(first, 33), language: 'item' });
  return json({
    data: {
      xdt_api__v1__feed__user_timeline_graphql_connection: connection(
        found.nodes.map(mediaNode),
        infoOf(found),
      ),
    },
  });
}

function guestGraphql(request: FakeRequest): FakeAnswer {
  const { username, id, first = 12, after } = variablesOf(new URLSearchParams(request.body));
  const isKnown = username === USER || username === GUEST_USER || id === USER_ID;
  if (!isKnown) return json({ data: { xig_user_by_username: null } });
  const start = after ? readCursor('guest', after, POSTS) : 0;
  if (start === undefined) return badCursor();
  const found = slice(POSTS, { start, count: Math.min(first, 12), language: 'guest' });
  const record = {
    pk: USER_ID,
    polaris_ordered_timeline_connection: connection(found.nodes.map(guestNode), infoOf(found)),
  };
  return json({ data: { [id === undefined ? 'xig_user_by_username' : 'node']: record } });
}

/** The photo-sharing network as a guest sees it. */
export const photoappFake: FakeSite = (request) => {
  const { method, path, query } = request;
  if (path === '/api/v1/users/web_profile_info/') return webProfile(query.get('username'));
  if (path === '/graphql/query/' && method === 'POST') return graphql(request);
  if (path === '/api/graphql' && method === 'POST') return guestGraphql(request);
  if (path.startsWith('/api/')) return json(gatedAnswer, 401);
  if (path === '/accounts/login/') return html('<html><title>Login • Instagram</title></html>');
  const [, username = '', embed] = /^\/([\w.]+)\/(embed\/)?$/.exec(path) ?? [];
  if (embed !== undefined) {
    return username === META_USER
      ? html(embedPage(slice(POSTS, { count: 6, language: 'legacy' }).nodes.map(edgeNode)))
      : redirect('/accounts/login/');
  }
  return username === '' ? notFound() : page(username);
};
