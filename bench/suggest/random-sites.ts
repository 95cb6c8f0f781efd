import { createRandom } from '../../test/random.ts';
import { BARE, escape, LABELLED, type Block, type Fact, type Naming, type Style } from './random-blocks.ts';
import {
  city,
  createDraw,
  OTHER_LABELS,
  otherValue,
  person,
  sentence,
  VERTICALS,
  type Draw,
  type FieldKind,
} from './random-values.ts';
import type { KnownPage, KnownSite } from './sites.ts';

/**
 * Sites whose templates are drawn from ways in which sites write facts: no site is written by hand, so none can be
 * tuned for. Ten pages each, on which facts, rows and blocks come and go.
 */

const HEADINGS: readonly ((name: string, site: Style) => string)[] = [
  (name, site) => `<h1${site.naming('title')}>${escape(name)}</h1>`,
  (name) => `<h1>${escape(name)} <small>Overview</small></h1>`,
  (name, site) => `<div${site.naming('headline')}>${escape(name)}</div>`,
  (name) => `<font size="5"><b>${escape(name)}</b></font>`,
  (name, site) => `<h2><span${site.naming('name')}>${escape(name)}</span></h2>`,
  (name) => `<h1>${escape(name)} - Review and Details</h1>`,
  (name, site) =>
    `<div${site.naming('crumbs')}><a href="/">Home</a> &gt; <a href="/all">All</a> &gt; <b>${escape(name)}</b></div>`,
];

function namingOf(kind: string, seed: number): Naming {
  const hash = (role: string): string => {
    let state = seed;
    for (const character of role) state = (Math.imul(state, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
    return state.toString(36).slice(0, 6);
  };
  return (role) => {
    const plain = role
      .toLowerCase()
      .replaceAll(/[^a-z]+/g, '-')
      .replaceAll(/^-|-$/g, '');
    if (kind === 'none') return '';
    if (kind === 'hashed') return ` class="css-1${hash(role)}"`;
    if (kind === 'generic')
      return ` class="${['txt', 'box', 'item', 'c1', 'blk'][(hash(role).length + role.length - 6) & 3] ?? 'txt'}"`;
    if (kind === 'utility') return ` class="flex mt-2 text-sm"`;
    return ` class="${plain}"`;
  };
}

interface Plan {
  readonly style: Style;
  readonly heading: (name: string, site: Style) => string;
  readonly groups: readonly {
    readonly block: Block;
    readonly fields: readonly FieldKind[];
    readonly extras: readonly { label: string; share: number }[];
    readonly heading: string;
  }[];
  readonly labels: ReadonlyMap<string, string>;
}

function shuffled<T>(items: readonly T[], { chance }: Draw): T[] {
  return items
    .map((item) => ({ item, at: chance() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

function planOf(fields: readonly FieldKind[], draw: Draw, seed: number, isLinked: boolean): Plan {
  const { pick, chance, number } = draw;
  const style: Style = {
    naming: namingOf(pick(['none', 'none', 'semantic', 'semantic', 'hashed', 'generic', 'utility']), seed),
    colon: pick([':', ':', '', ' :']),
    join: pick([', ', ' / ', ' | ', '<br>', ' and ']),
    isLinked,
    empty: pick(['left out', 'left out', 'left out', 'blank', 'dash']),
    seed,
  };
  const rest = shuffled(fields.slice(1), draw);
  const cut = chance() < 0.5 ? rest.length : number(1, rest.length);
  const groups = [rest.slice(0, cut), rest.slice(cut)]
    .filter((group) => group.length > 0)
    .map((group) => ({
      block: chance() < 0.62 ? pick(LABELLED) : pick(BARE),
      fields: group,
      extras: shuffled(OTHER_LABELS, draw)
        .slice(0, number(0, 4))
        .map((label) => ({ label, share: pick([1, 1, 0.7, 0.4]) })),
      heading: pick(['', '', '<h3>Details</h3>', '<h2>At a glance</h2>']),
    }));
  return {
    style,
    heading: pick(HEADINGS),
    groups,
    labels: new Map(fields.map(({ name, labels }) => [name, labels.length === 0 ? name : pick(labels)])),
  };
}

function groupHtml(
  { style, labels }: Plan,
  { block, fields, extras, heading }: Plan['groups'][number],
  truth: Readonly<Record<string, readonly string[]>>,
  draw: Draw,
  order: number,
): string {
  const facts: Fact[] = fields.map(({ name, leads }) => ({
    label: labels.get(name) ?? name,
    lead: leads[0] ?? '',
    values: truth[name] ?? [],
  }));
  // The others keep their places on all pages, so a row that comes and goes shifts those after it.
  for (const [index, { label, share }] of extras.entries()) {
    const value = otherValue(draw);
    const values = draw.chance() < share ? [value] : [];
    facts.splice((order * 7 + index * 3) % (facts.length + 1), 0, {
      label,
      lead: label.toLowerCase(),
      values,
    });
  }
  return `${heading}<div>${block(facts, style, draw)}</div>`;
}

function related(fields: readonly FieldKind[], { labels, style }: Plan, draw: Draw): string {
  const [first, second] = fields;
  if (first === undefined || second === undefined) return '';
  const records = Array.from({ length: draw.number(2, 4) }, () => {
    const name = first.values(draw)[0] ?? '';
    return `<li><a href="/r">${escape(name)}</a> <b>${labels.get(second.name) ?? ''}${style.colon}</b> ${escape(second.values(draw)[0] ?? '')}</li>`;
  });
  return `<h3>See also</h3><ul>${records.join('')}</ul>`;
}

/** A site of ten pages, the same for the same seed. */
export function randomSite(seed: number): KnownSite {
  const draw = createDraw(createRandom(seed * 97 + 5));
  for (let skip = 0; skip < 5; skip += 1) draw.chance();
  const { pick, chance, number } = draw;
  const verticals = Object.entries(VERTICALS);
  const [vertical, fields] = verticals[seed % verticals.length] ?? ['', []];
  const isLinked = chance() < 0.5;
  const plans = [planOf(fields, draw, seed + 11, isLinked)];
  const hasLayouts = chance() < 0.15;
  if (hasLayouts) plans.push(planOf(fields, draw, seed + 12, isLinked));
  const share = new Map(
    fields.map(({ name }, index) => [name, index > 0 && chance() < 0.35 ? pick([0.5, 0.7, 0.9]) : 1]),
  );
  const relatedPlace = pick(['none', 'before', 'after', 'after']);
  const promoShare = pick([0, 0, 0.4, 0.7]);
  const titleEnd = pick([' | Site', ' - details at Site', '', ': all about it']);
  const isTitled = chance() < 0.75;
  const hasProse = chance() < 0.6;
  const hasTable = chance() < 0.4;
  const pages = Array.from({ length: 10 }, (_, index): KnownPage => {
    const plan = plans[hasLayouts && chance() < 0.4 ? 1 : 0] ?? plans[0];
    if (plan === undefined) throw new Error('no plan');
    const truth: Record<string, readonly string[]> = {};
    for (const kind of fields) {
      const several = kind.values(draw);
      // Values of one text are one value, as a person who labels pages sees them.
      const values = isLinked ? several : [several.join(', ')];
      truth[kind.name] = chance() < (share.get(kind.name) ?? 1) ? values : [];
    }
    const name = truth[fields[0]?.name ?? '']?.[0] ?? '';
    const others = relatedPlace === 'none' ? '' : related(fields, plan, draw);
    const promo =
      chance() < promoShare
        ? `<div><p><b>${pick(['Sale', 'New', 'Hot'])}!</b> Save ${number(5, 50)}% until ${otherValue(draw)}</p></div>`
        : '';
    const prose = hasProse
      ? Array.from({ length: number(1, 3) }, () => `<p>${escape(sentence(draw))}</p>`).join('')
      : '';
    const body = plan.groups.map((group, order) => groupHtml(plan, group, truth, draw, order));
    const main = `${promo}${plan.heading(name, plan.style)}${body[0] ?? ''}${prose}${body[1] ?? ''}`;
    const menu = `<div id="nav"><ul><li><a href="/">Home</a></li><li><a href="/b">Browse</a></li><li>${city(draw)}</li></ul></div>`;
    const comments = `<h3>Comments</h3>${Array.from({ length: number(0, 3) }, () => `<div><b>${escape(person(draw))}</b><p>${escape(sentence(draw))}</p></div>`).join('')}`;
    const inner = hasTable
      ? `<table width="100%"><tr><td width="150">${menu}${relatedPlace === 'before' ? others : ''}</td><td>${main}${comments}${relatedPlace === 'after' ? others : ''}</td></tr></table>`
      : `${menu}${relatedPlace === 'before' ? `<div>${others}</div>` : ''}<div id="content">${main}</div>${comments}${relatedPlace === 'after' ? `<div>${others}</div>` : ''}`;
    return {
      name: String(index).padStart(4, '0'),
      html: `<html><head><title>${isTitled ? escape(name) : ''}${titleEnd}</title></head><body>${inner}</body></html>`,
      truth,
    };
  });
  return { name: `random-${vertical}-${seed}`, pages };
}

export function randomSites(count: number, from = 1): KnownSite[] {
  return Array.from({ length: count }, (_, index) => randomSite(from + index));
}
