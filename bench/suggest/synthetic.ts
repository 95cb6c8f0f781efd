import type { KnownPage, KnownSite } from './sites.ts';

/** Made sites: kinds of templates that the real ones have few of. They are a check, so nothing is learned from them. */

const NAMES = [
  'Blue Harbor',
  'Old Mill',
  'The Copper Pot',
  'Sunny Side',
  'Maple & Ash',
  'Corner Bistro',
  'Harvest Moon',
  'Little Owl',
  'Red Door',
  'North Star',
];
const PEOPLE = [
  'Ann Miller',
  'Bo Larsen',
  'Carla Gomez',
  'Dev Patel',
  'Eve Stone',
  'Finn Berg',
  'Gina Rossi',
  'Hal Young',
  'Ida Novak',
  'Jo Park',
];
const KINDS = [
  'Italian',
  'French',
  'Thai',
  'Vegan',
  'Seafood',
  'Italian',
  'Mexican',
  'Thai',
  'French',
  'Indian',
];
const STREETS = [
  '12 Oak St.',
  '450 Main Ave.',
  '9 Hill Rd.',
  '77 Bay Blvd.',
  '301 Pine St.',
  '8 Lake Dr.',
  '64 Elm St.',
  '5 Park Pl.',
  '210 River Rd.',
  '33 Cedar Ln.',
];
const CITIES = ['Dover', 'Salem', 'Austin', 'Boise', 'Fargo', 'Tulsa', 'Reno', 'Provo', 'Ames', 'Macon'];

interface Facts {
  readonly name: string;
  readonly person: string;
  readonly kind: string;
  readonly street: string;
  readonly city: string;
  readonly phone: string;
  readonly price: string;
  readonly date: string;
  readonly index: number;
}

function factsOf(index: number): Facts {
  const at = (list: readonly string[]): string => list[index % list.length] ?? '';
  return {
    name: at(NAMES),
    person: at(PEOPLE),
    kind: at(KINDS),
    street: at(STREETS),
    city: at(CITIES),
    phone: `(${200 + index * 37}) 555-0${100 + index * 13}`,
    price: `$${(19 + index * 7.3).toFixed(2)}`,
    date: `${1 + ((index * 5) % 12)}/${3 + index * 2}/2010`,
    index,
  };
}

const MENU =
  '<table width="100%"><tr><td><a href="/">Home</a> | <a href="/all">All places</a> | <a href="/help">Help</a></td></tr></table>';

function others(index: number): string {
  return [1, 2, 3]
    .map((step) => factsOf(index + step))
    .map(({ name, city }) => `<li><a href="/${name}">${name}</a> <i>${city}</i></li>`)
    .join('');
}

type Render = (facts: Facts) => { html: string; truth: KnownPage['truth'] };

/** No classes, no labels: fonts and bold text in tables, as in 1999. */
const fontTable: Render = (facts) => ({
  html: `<html><head><title>${facts.name} - CityGuide</title></head><body bgcolor="#fff">${MENU}<table><tr><td width="160"><font size="1">Browse<br>A-Z</font></td><td>
<font size="5" color="#003366"><b>${facts.name}</b></font><br><font size="2">${facts.street}<br>${facts.city}<br>${facts.phone}</font>
${facts.index % 3 === 0 ? '<p><font size="2" color="red">New this week</font></p>' : ''}<p><font size="2"><i>${facts.kind}</i></font></p>
<p><font size="2">A fine place that people in ${facts.city} like.</font></p></td></tr></table><ul>${others(facts.index)}</ul></body></html>`,
  truth: { name: [facts.name], address: [facts.street], phone: [facts.phone], cuisine: [facts.kind] },
});

/** Labels in bold with the value in the same paragraph, some rows missing on some pages. */
const boldLabels: Render = (facts) => {
  const hasPhone = facts.index % 4 !== 1;
  const hasAuthor = facts.index % 3 !== 2;
  return {
    html: `<html><head><title>Buy ${facts.name} at BookBarn</title></head><body><div id="hd">${MENU}</div><div id="bd"><h1>${facts.name}</h1>
${hasAuthor ? `<p><b>Author:</b> <a href="/a/${facts.index}">${facts.person}</a></p>` : ''}<p><b>Publisher:</b> ${facts.city} Press<br>${hasPhone ? `<b>Orders:</b> ${facts.phone}<br>` : ''}<b>Published:</b> ${facts.date}<br><b>List price:</b> ${facts.price}</p>
<h3>Others bought</h3><ul>${others(facts.index)}</ul></div></body></html>`,
    truth: {
      title: [facts.name],
      author: hasAuthor ? [facts.person] : [],
      publisher: [`${facts.city} Press`],
      phone: hasPhone ? [facts.phone] : [],
      publication_date: [facts.date],
      price: [facts.price],
    },
  };
};

/** Two layouts by turns: a table of facts, and a definition list with other labels. */
const twoLayouts: Render = (facts) => {
  const body =
    facts.index % 2 === 0
      ? `<div class="jobhead"><h2>${facts.name} Manager</h2></div><table class="job"><tr><td class="l">Company</td><td>${facts.person} Inc.</td></tr><tr><td class="l">Location</td><td>${facts.city}</td></tr><tr><td class="l">Posted</td><td>${facts.date}</td></tr></table>`
      : `<div class="header"><span class="jobtitle">${facts.name} Manager</span></div><dl><dt>Employer:</dt><dd>${facts.person} Inc.</dd><dt>Where:</dt><dd>${facts.city}</dd><dt>Date posted:</dt><dd>${facts.date}</dd></dl>`;
  return {
    html: `<html><head><title>${facts.name} Manager job in ${facts.city} | Jobs</title></head><body>${MENU}${body}<p>We seek a manager for ${facts.name}.</p></body></html>`,
    truth: {
      title: [`${facts.name} Manager`],
      company: [`${facts.person} Inc.`],
      location: [facts.city],
      date_posted: [facts.date],
    },
  };
};

/** Label and value in one text, several in one line. */
const inOneText: Render = (facts) => ({
  html: `<html><head><title>${facts.person} player profile</title></head><body>${MENU}<div class="player"><span class="no">#${facts.index * 3 + 4}</span> <span class="nm">${facts.person}</span> <a class="tm" href="/t">${facts.city} ${facts.kind}s</a>
<div class="vitals">Height: 6-${facts.index} | Weight: ${180 + facts.index * 9} lbs. | Born: ${facts.date}</div></div><div class="stats"><table><tr><th>GP</th><th>PPG</th></tr><tr><td>${50 + facts.index}</td><td>${facts.index + 10}.4</td></tr></table></div></body></html>`,
  truth: {
    name: [facts.person],
    team: [`${facts.city} ${facts.kind}s`],
    height: [`6-${facts.index}`],
    weight: [`${180 + facts.index * 9} lbs.`],
  },
});

/** A site of today: hashed classes, JSON-LD, rows that come and go before the values. */
const hashed: Render = (facts) => ({
  html: `<html><head><title>${facts.name} | Store</title><meta property="og:title" content="${facts.name}"><script type="application/ld+json">{"@type":"Product","name":"${facts.name}","offers":{"price":"${facts.price.slice(1)}","priceCurrency":"USD"}}</script></head>
<body><header class="css-1x2y3z">${MENU}</header><main><div class="sc-bdVaJa flex mt-4"><h1 class="css-9a8b7c">${facts.name}</h1>${facts.index % 2 === 0 ? '<span class="css-44kkm2 badge">Sale</span>' : ''}<div class="Price_root__2aB9x"><span class="Price_now__x81Kq">${facts.price}</span></div>
<div class="grid gap-2"><div class="css-0l1k2j"><span>Brand</span><span>${facts.person}</span></div><div class="css-0l1k2j"><span>Origin</span><span>${facts.city}</span></div></div></div></main></body></html>`,
  truth: { name: [facts.name], price: [facts.price], brand: [facts.person], origin: [facts.city] },
});

/** Values in cells below their headers, and a rating without a label. */
const headers: Render = (facts) => ({
  html: `<html><head><title>${facts.name}</title></head><body>${MENU}<div class="mov"><div class="t1">${facts.name} (20${10 + facts.index})</div><div class="sub">${facts.kind}, ${facts.index % 2 === 0 ? 'Drama' : 'Comedy'}</div>
<table class="grid"><tr><td>Director</td><td>Length</td><td>Rating</td></tr><tr><td><a href="/d">${facts.person}</a></td><td>${90 + facts.index} min</td><td>${facts.index % 2 === 0 ? 'PG-13' : 'R'}</td></tr></table>
<p class="tel">Call ${facts.phone}</p></div></body></html>`,
  truth: {
    title: [`${facts.name} (20${10 + facts.index})`],
    genre: [`${facts.kind}, ${facts.index % 2 === 0 ? 'Drama' : 'Comedy'}`],
    director: [facts.person],
    mpaa_rating: [facts.index % 2 === 0 ? 'PG-13' : 'R'],
  },
});

/** Divs in a row with generic classes; optional ones before those that are wanted. */
const genericDivs: Render = (facts) => ({
  html: `<html><head><title>${facts.name}: University profile</title></head><body><div id="content"><div class="box"><div class="item">${facts.name} University</div>${facts.index % 3 === 0 ? '<div class="item">Member since 2001</div>' : ''}<div class="item">${facts.street}</div><div class="item">${facts.phone}</div><div class="item"><a href="http://www.${facts.city.toLowerCase()}.edu">http://www.${facts.city.toLowerCase()}.edu</a></div></div>
<div class="box"><div class="item"><span class="k">Type</span> <span class="v">${facts.index % 2 === 0 ? 'Private' : 'Public'}</span></div>${facts.index % 4 === 0 ? '<div class="item"><span class="k">Motto</span> <span class="v">Lux</span></div>' : ''}<div class="item"><span class="k">Students</span> <span class="v">${1000 + facts.index * 311}</span></div></div></div></body></html>`,
  truth: {
    name: [`${facts.name} University`],
    phone: [facts.phone],
    website: [`http://www.${facts.city.toLowerCase()}.edu`],
    type: [facts.index % 2 === 0 ? 'Private' : 'Public'],
    students: [String(1000 + facts.index * 311)],
  },
});

const SITES: Readonly<Record<string, Render>> = {
  fontTable,
  boldLabels,
  twoLayouts,
  inOneText,
  hashed,
  headers,
  genericDivs,
};

export function syntheticSites(): KnownSite[] {
  return Object.entries(SITES).map(([name, render]) => ({
    name: `made-${name}`,
    pages: NAMES.map((_, index) => ({ name: String(index).padStart(4, '0'), ...render(factsOf(index)) })),
  }));
}
