/** Rates how reliable names in a page's markup (ids, classes, keys, labels) are, and how similar two names are. */

const UTILITY =
  /^(?:-?(?:m|p|mt|mb|ml|mr|mx|my|pt|pb|pl|pr|px|py|w|h|z|gap|top|left|right|bottom|inset|space-[xy]|order|opacity|leading|tracking|max-[wh]|min-[wh]|grid-cols|col-span|row-span|rounded(?:-\w+)?|border(?:-\w)?|text|font|bg|fs|fw|lh|ratio|line-clamp|basis|size|duration|scale)-(?:\[.*\]|\d[\d./]*|auto|full|screen|px|xs|sm|md|lg|\d?xl|none|left|right|center|justify|start|end|bold|semibold|medium|normal|light|thin|mono|sans|serif|white|black|transparent|muted|primary|secondary|success|danger|warning|info|dark|(?:gray|grey|red|blue|green|yellow|slate|zinc|neutral|stone|orange|amber|lime|emerald|teal|cyan|sky|indigo|violet|purple|fuchsia|pink|rose)(?:-\d+)?)|flex(?:-\w+)*|grid|block|inline(?:-\w+)?|hidden|visible|relative|absolute|fixed|sticky|static|items-\w+|justify-\w+|self-\w+|content-\w+|truncate|underline|uppercase|lowercase|capitalize|italic|antialiased|container(?:-fluid)?|row|col(?:-\w+)*|cols?\d*|clearfix|cf|clear|fix|wrap(?:per)?|inner|outer|pull-(?:left|right)|float-?\w*|d-\w+(?:-\w+)?|(?:small|medium|large)-\d+|grid_\d+|span\d+|shadow(?:-\w+)?|transition(?:-\w+)?|sr-only|group|cursor-\w+|overflow-\w+(?:-\w+)?|select-none|w\d+|h\d+|mt\d+|mb\d+|[a-z]{1,2}\d{0,2})$/i;

const STATE =
  /^(?:first|last|odd|even|active|current|selected|open|closed|on|off|left|right|center|bold|big|small|red|blue|green|black|white|gray|grey|alt\d?|is-\w+|has-\w+|ng-\w+|js-\w*|no-js|lazy\w*|loaded|loading|fade|in|show|hide|new|even-row|odd-row|row\d|alternate|hover|focus|disabled|enabled|visited|external|nofollow|text|content|main|body|block|box|item|element|component|module|section|unit)$/i;

/** Whether letters and digits are in an order that a person would not choose. */
function looksHashed(part: string): boolean {
  if (part.length < 4) return false;
  if (/^(?=.*\d)(?=.*[a-f])[\da-f]{6,}$/i.test(part)) return true;
  const digits = part.replaceAll(/\D/g, '').length;
  const changes = (part.match(/[a-z][A-Z0-9]|[A-Z][a-z]?[0-9]|\d[A-Za-z]/g) ?? []).length;
  const vowels = (part.match(/[aeiouy]/gi) ?? []).length;
  const letters = part.length - digits;
  if (digits > 0 && changes >= 2 && part.length >= 5 && !/^[a-z]+\d{1,2}$/i.test(part)) return true;
  // `bdVaJa`, `kXqPzr`: capitals inside and few vowels.
  const capitals = (part.slice(1).match(/[A-Z]/g) ?? []).length;
  if (
    part.length <= 8 &&
    capitals >= 2 &&
    /[a-z]/.test(part) &&
    !/^[A-Z]?[a-z]{2,}(?:[A-Z][a-z]{2,})+$/.test(part)
  ) {
    return true;
  }
  return letters >= 6 && vowels / letters < 0.12;
}

/** From 0 (generated, or specific to one record) to 1 (chosen by a person to describe the content). */
export function nameQuality(name: string): number {
  if (name === '' || name.length > 60) return 0;
  if (/^(?:css|sc|jsx|emotion|jss|makeStyles|ember|svelte|data-v|r|_)-?[A-Z_]*\d\w*$/i.test(name))
    return 0.05;
  if (/^(?:css|sc|jsx|jss|svelte)-\w{4,}$/i.test(name)) return 0.05;
  if (/\d{4,}/.test(name)) return 0.05;
  if (/^[_-]*[\d]/.test(name)) return 0.2;
  const parts = name.split(/[-_:.]+/).filter((part) => part !== '');
  const hashed = parts.filter(looksHashed).length;
  // `Price_value__1aB2c`: hashed only at its end.
  if (hashed > 0) return parts.length > hashed ? 0.15 : 0.05;
  if (UTILITY.test(name)) return 0.25;
  if (STATE.test(name)) return 0.45;
  if (/(?<!\d)\d{2,}$/.test(name)) return 0.55;
  return /\d$/.test(name) ? 0.8 : 1;
}

/** Words for the same, a group a line. */
const SYNONYMS = `
  price cost amount msrp preis prix precio sale
  phone tel telephone call mobile fax
  name title headline heading titel nom
  company employer organization organisation hiring firm
  location city place address where adr area region
  date posted published datum time updated created release
  website url link homepage site web href
  author writer by creator byline contributor
  manufacturer brand maker vendor make
  genre category kind type cuisine tag
  rating rated score stars certificate
  description summary about overview abstract desc plot
  image photo picture img thumbnail
  publisher imprint verlag
  team club squad
  economy mpg mileage
  sku id code number ref reference
`;

const GROUP_OF = new Map(
  SYNONYMS.trim()
    .split('\n')
    .flatMap((group, index) =>
      group
        .trim()
        .split(' ')
        .map((word) => [word, index] as const),
    ),
);

const EMPTY_WORDS = new Set('of the a an in on to and or for is value field info data'.split(' '));

/** The words of a name, such as a field's. */
export type Words = readonly string[];

/** `datePosted`, `date-posted`, `Date Posted:` → date, posted; plurals lose their s. */
export function wordsOf(name: string): string[] {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 0 && !EMPTY_WORDS.has(word))
    .map((word) =>
      word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word,
    );
}

function wordLikeness(a: string, b: string): number {
  if (a === b) return 1;
  if (a.length >= 4 && b.length >= 4 && (a.startsWith(b) || b.startsWith(a))) return 0.9;
  if (a.length >= 4 && b.length >= 4 && a.slice(0, 5) === b.slice(0, 5) && a.length >= 6 && b.length >= 6)
    return 0.8;
  if (b.length > a.length + 2 && a.length >= 4 && b.includes(a)) return 0.7;
  const group = GROUP_OF.get(a);
  return group !== undefined && group === GROUP_OF.get(b) ? 0.5 : 0;
}

/** From 0 to 1: how much of the field's name a label, class or key contains, and how little else. */
export function likeness(field: Words, other: Words): number {
  if (field.length === 0 || other.length === 0) return 0;
  let covered = 0;
  for (const word of field) covered += Math.max(...other.map((candidate) => wordLikeness(word, candidate)));
  let used = 0;
  for (const word of other) used += Math.max(...field.map((candidate) => wordLikeness(candidate, word)));
  return 0.6 * (covered / field.length) + 0.4 * (used / other.length);
}
