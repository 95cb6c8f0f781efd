import { latin1Of, shownText } from './shown-text.ts';

/** Larger pages are no walls: Cloudflare's challenge has 110 KB. */
const MAX_WALL_BYTES = 256 * 1024;
/** What a wall says has fewer characters than that, in any language. An article about walls has more. */
const MAX_WALL_TEXT = 700;
/** A wall that a script fills is small. */
const MAX_EMPTY_WALL_BYTES = 24 * 1024;

interface Wall {
  vendor: string;
  /** In the source: a script or an address that the vendor's walls have. */
  source?: RegExp;
  /** The whole title. */
  title?: RegExp;
  /** In the text, the title or what stands in `noscript`. */
  says?: RegExp;
  /** The vendor's ordinary pages have the source too: it holds where a page asks for something, says nothing or refuses. */
  isWatcher?: true;
}

/** What walls are known by. A wall matches all that its row names, and shows little text. */
const WALLS: readonly Wall[] = [
  {
    vendor: 'Cloudflare',
    source: /_cf_chl_opt|cf-browser-verification|\/challenge-platform\/\S{1,80}orchestrate/,
  },
  {
    vendor: 'Cloudflare',
    says: /sorry, you have been blocked|error\s*(?:code:?\s*)?10(?:06|07|08|09|10|12|15|20)\b/i,
    source: /cf-error-|cloudflare/i,
  },
  { vendor: 'DataDome', source: /captcha-delivery\.com\//, isWatcher: true },
  { vendor: 'Imperva', says: /incapsula incident id|request unsuccessful\. incapsula/i },
  { vendor: 'Imperva', title: /^pardon our interruption/i },
  { vendor: 'Imperva', source: /_Incapsula_Resource/, isWatcher: true },
  {
    vendor: 'PerimeterX',
    source: /px-captcha|captcha\.px-c(?:dn|loud)\.net/,
    says: /human|robot|bot\b|denied|blocked|hold/i,
  },
  { vendor: 'PerimeterX', source: /["']px-captcha/, isWatcher: true },
  { vendor: 'Akamai', source: /sec-if-cpt-container/ },
  { vendor: 'Akamai', title: /^access denied$/i, says: /reference\s*(?:#|&#35;)|permission to access/i },
  { vendor: 'AWS WAF', source: /gokuProps|awsWafCookieDomainList|\.token\.awswaf\.com\//, isWatcher: true },
  { vendor: 'Kasada', source: /KPSDK/, isWatcher: true },
  { vendor: 'DDoS-Guard', source: /\/\.well-known\/ddos-guard\//, isWatcher: true },
  { vendor: 'Sucuri', source: /sucuri_cloudproxy_js/ },
  { vendor: 'Sucuri', title: /^sucuri website firewall/i },
  { vendor: 'Anubis', source: /anubis_challenge/ },
  { vendor: 'Google', says: /our systems have detected unusual traffic/i },
  {
    vendor: 'Google (consent)',
    source: /action=["']?https:\/\/consent\.(?:google|youtube)\.[a-z.]{2,7}\/(?:save|s\b)/,
  },
  {
    vendor: 'Amazon',
    title: /^(?:robot check|bot check|amazon\.[a-z.]{2,6}|sorry!? something went wrong!?)$/i,
    source: /validateCaptcha|opfcaptcha|api-services-support@amazon/,
  },
  { vendor: 'AliExpress', source: /\/_____tmd_____\/|x5secdata|\/punish\?/ },
  { vendor: 'F5', says: /the requested url was rejected\. please consult with your administrator/i },
  { vendor: 'F5', source: /bobcmn|\/TSPD\//, says: /enable javascript|support id/i },
  {
    vendor: 'Fastly',
    says: /please enable js and disable any ad blocker|client challenge/i,
    source: /fst-post-back|_fs-ch-/,
  },
  { vendor: 'Fastly', title: /^client challenge$/i },
  { vendor: 'Vercel', title: /^vercel security checkpoint$/i },
  { vendor: 'Reddit', says: /blocked by network security|whoa there, pardner/i },
  { vendor: 'Weibo', title: /^sina visitor system$/i },
  {
    vendor: 'its host',
    title:
      /^(?:just a moment|attention required|one moment, please|checking your browser|please wait|verifying you are human|are you a (?:human|robot)\??|human verification|security check(?:point)?|ddos protection|access to this page has been denied|bot verification)\b[ .!|…-]{0,9}(?:cloudflare)?[.… ]{0,9}$/i,
    says: /javascript|cookies|browser|human|robot|captcha|secur/i,
  },
];

/** What walls of all vendors ask their visitors for. */
const ASKS =
  /just a moment|checking (?:if|your)|verif(?:y|ying|ication)|are (?:you )?(?:a )?(?:human|robot)|not a (?:ro)?bot|enable (?:javascript|js|cookies)|javascript (?:is )?(?:disabled|required)|unusual traffic|access denied|been blocked|security check|captcha|please wait|one moment|before you continue|punish|slide to|unsuccessful/i;
/** Where a script puts its app. Walls have none. */
const APP_ROOT = /<(?:div|main)\b[^<>]{0,99}\bid=["']?(?:root|app|__next|__nuxt)\b/i;

function titleOf(html: string): string {
  const from = /<title\b[^<>]{0,99}>/i.exec(html);
  if (from === null) return '';
  const start = from.index + from[0].length;
  const end = html.indexOf('<', start);
  return html
    .slice(start, Math.min(end === -1 ? html.length : end, start + 200))
    .replace(/\s+/g, ' ')
    .trim();
}

/** What stands in `noscript`, as text. Walls ask for JavaScript there. */
function noscriptOf(html: string): string {
  const start = html.search(/<noscript\b/i);
  return start === -1 ? '' : html.slice(start, start + 2_000).replace(/<[^<>]*>/g, ' ');
}

/**
 * The vendor of the wall that the page is, by its title, its text and the length of it, its source and its status
 * together. A word alone is none: articles quote walls, and shops load the scripts that watch their visitors.
 */
export function findWall({ body, status }: { body: Uint8Array; status: number }): string | undefined {
  if (body.length > MAX_WALL_BYTES) return undefined;
  const html = latin1Of(body);
  // Most pages get no further: their text is read to the limit, not to its end.
  const shown = shownText(html, MAX_WALL_TEXT + 1);
  if (shown.length > MAX_WALL_TEXT) return undefined;
  const title = titleOf(html);
  const spoken = `${title} ${shown}`;
  const said = `${spoken} ${noscriptOf(html)}`;
  const isEmpty = shown === '' && body.length <= MAX_EMPTY_WALL_BYTES && !APP_ROOT.test(html);
  const holdsAlone = status >= 400 || isEmpty || ASKS.test(spoken);
  return WALLS.find(
    ({ title: titled, source, says, isWatcher }) =>
      titled?.test(title) !== false &&
      source?.test(html) !== false &&
      says?.test(said) !== false &&
      (isWatcher !== true || holdsAlone),
  )?.vendor;
}
