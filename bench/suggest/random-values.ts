/** Values of made pages, by kind. Each draw may be new, as on a site with many records. */

export interface Draw {
  /** From 0 to 1. */
  readonly chance: () => number;
  readonly pick: <T>(from: readonly T[]) => T;
  readonly number: (from: number, to: number) => number;
}

export function createDraw(chance: () => number): Draw {
  return {
    chance,
    pick(from) {
      const item = from[Math.floor(chance() * from.length)];
      if (item === undefined) throw new Error('nothing to pick from');
      return item;
    },
    number: (from, to) => from + Math.floor(chance() * (to - from + 1)),
  };
}

function words(text: string): readonly string[] {
  return text.split(' ');
}

const FIRST = words(
  'Ann Boris Carla Dev Eve Finn Gina Hal Ida Jo Kim Lars Mona Nils Olga Pete Quinn Rosa Sam Tess',
);
const LAST = words(
  'Miller Larsen Gomez Patel Stone Berg Rossi Young Novak Park Ito Weber Khan Silva Moore Lund Fox',
);
const CITIES = words(
  'Dover Salem Austin Boise Fargo Tulsa Reno Provo Ames Macon Akron Mesa Waco Flint Erie Yuma',
);
const STATES = words('OH TX CA NY WA ND OK NV UT IA GA');
const ADJECTIVES = words(
  'Blue Old Copper Sunny Maple Little Red North Silent Golden Hidden Broken Last First Wild',
);
const NOUNS = words(
  'Harbor Mill Pot Side House Owl Door Star River Garden Night Bridge Summer Forest Stone Road',
);
const STREETS = words('Oak Main Hill Bay Pine Lake Elm Park River Cedar');
const MONTHS = words('January February March April May June July August September October November December');
const MAKERS = words('Canon Nikon Sony Kodak Olympus Pentax Ricoh Casio');
const CARS = words('Audi Ford Honda Toyota Mazda Volvo Kia Subaru');

export function person({ pick }: Draw): string {
  return `${pick(FIRST)} ${pick(LAST)}`;
}

export function city({ pick }: Draw): string {
  return pick(CITIES);
}

export function sentence(draw: Draw): string {
  return `${draw.pick(['A', 'The', 'One more'])} ${draw.pick(ADJECTIVES).toLowerCase()} ${draw.pick(NOUNS).toLowerCase()} that people from ${city(draw)} ${draw.pick(['like', 'know', 'praise'])}, says ${person(draw)}.`;
}

function several(draw: Draw, make: (draw: Draw) => string, most: number): string[] {
  const count = draw.chance() < 0.6 ? 1 : draw.number(2, most);
  return [...new Set(Array.from({ length: count }, () => make(draw)))];
}

export interface FieldKind {
  readonly name: string;
  /** Names that sites give it; [] where the value seldom has a label. */
  readonly labels: readonly string[];
  /** Texts before the value in a sentence. */
  readonly leads: readonly string[];
  readonly values: (draw: Draw) => readonly string[];
}

function field(
  name: string,
  labels: readonly string[],
  leads: readonly string[],
  values: (draw: Draw) => readonly string[] | string,
): FieldKind {
  return {
    name,
    labels,
    leads,
    values: (draw) => {
      const made = values(draw);
      return typeof made === 'string' ? [made] : made;
    },
  };
}

function title(draw: Draw): string {
  const { pick, chance } = draw;
  const name = `${chance() < 0.3 ? 'The ' : ''}${pick(ADJECTIVES)} ${pick(NOUNS)}`;
  return chance() < 0.3 ? `${name}: ${pick(NOUNS)} of ${city(draw)}` : name;
}

function price({ number, chance }: Draw): string {
  const amount = number(3, 900);
  return chance() < 0.2
    ? `$${number(1, 40)},${String(number(0, 999)).padStart(3, '0')}`
    : `$${amount}.${number(10, 99)}`;
}

function phone({ number }: Draw): string {
  return `(${number(201, 989)}) ${number(200, 999)}-${number(1000, 9999)}`;
}

function longDate({ pick, number }: Draw): string {
  return `${pick(MONTHS)} ${number(1, 28)}, ${number(1998, 2012)}`;
}

/** The verticals: the first field is the record's name. */
export const VERTICALS: Readonly<Record<string, readonly FieldKind[]>> = {
  auto: [
    field('model', [], [], ({ pick, number }) => `${number(2008, 2012)} ${pick(CARS)} ${pick(NOUNS)}`),
    field('price', ['MSRP', 'Price', 'Base price', 'Starting at'], ['from', 'MSRP'], price),
    field(
      'engine',
      ['Engine', 'Base engine', 'Engine type', 'Motor'],
      ['powered by a'],
      ({ number, pick }) =>
        `${number(1, 6)}.${number(0, 9)}L ${number(90, 500)} hp ${pick(['V6', 'V8', 'I4'])}`,
    ),
    field(
      'fuel_economy',
      ['MPG', 'Fuel economy', 'Gas mileage', 'EPA rating', 'City/Hwy'],
      ['gets'],
      ({ number }) => `${number(11, 30)} / ${number(20, 44)} mpg`,
    ),
  ],
  book: [
    field('title', [], [], title),
    field(
      'author',
      ['Author', 'By', 'Written by', 'Author(s)', 'Contributor'],
      ['by', 'written by'],
      (draw) => several(draw, person, 3),
    ),
    field(
      'isbn_13',
      ['ISBN-13', 'ISBN', 'EAN', 'ISBN 13'],
      ['ISBN'],
      ({ number }) => `978${number(1000000000, 9999999999)}`,
    ),
    field(
      'publisher',
      ['Publisher', 'Imprint', 'Published by'],
      ['published by'],
      (draw) => `${draw.pick(NOUNS)} ${draw.pick(['Press', 'Books', 'House', '& Sons'])}`,
    ),
    field(
      'publication_date',
      ['Publication date', 'Pub. Date', 'Published', 'Release date', 'Date'],
      ['published on'],
      longDate,
    ),
  ],
  camera: [
    field(
      'model',
      [],
      [],
      ({ pick, number }) =>
        `${pick(MAKERS)} ${pick(ADJECTIVES)}Shot ${pick(['SX', 'A', 'D', 'L'])}${number(10, 990)} Camera`,
    ),
    field(
      'price',
      ['Price', 'Our price', 'Sale price', 'You pay', 'Your price'],
      ['only', 'yours for'],
      price,
    ),
    field('manufacturer', ['Manufacturer', 'Brand', 'Maker', 'Mfg', 'By'], ['by', 'made by'], ({ pick }) =>
      pick(MAKERS),
    ),
  ],
  job: [
    field(
      'title',
      [],
      [],
      ({ pick }) =>
        `${pick(['Senior', 'Junior', 'Lead', 'Chief'])} ${pick(['Java', 'Sales', 'Network', 'Data', 'Systems'])} ${pick(['Engineer', 'Manager', 'Analyst', 'Architect'])}`,
    ),
    field(
      'company',
      ['Company', 'Employer', 'Hiring organization', 'Name', 'Client'],
      ['at'],
      (draw) => `${draw.pick(LAST)} ${draw.pick(['Inc.', 'Group', 'LLC', 'Partners', 'Corp'])}`,
    ),
    field(
      'location',
      ['Location', 'Job location', 'City', 'Where', 'Area'],
      ['in'],
      (draw) => `${city(draw)}, ${draw.pick(STATES)}`,
    ),
    field(
      'date_posted',
      ['Date posted', 'Posted', 'Date', 'Updated', 'Post date'],
      ['posted on', 'updated'],
      ({ number }) => `${number(1, 12)}/${number(1, 28)}/2010`,
    ),
  ],
  movie: [
    field('title', [], [], (draw) => `${title(draw)} (${draw.number(1960, 2011)})`),
    field('director', ['Director', 'Directed by', 'Director(s)', 'Directors'], ['directed by'], (draw) =>
      several(draw, person, 2),
    ),
    field('genre', ['Genre', 'Genres', 'Category', 'Type'], ['a new'], (draw) =>
      several(draw, ({ pick }) => pick(['Drama', 'Comedy', 'Action', 'Horror', 'Western', 'Romance']), 3),
    ),
    field(
      'mpaa_rating',
      ['Rated', 'MPAA rating', 'Rating', 'MPAA'],
      ['rated'],
      ({ pick, chance }) =>
        `${pick(['R', 'PG', 'PG-13', 'G'])}${chance() < 0.6 ? ` for ${pick(['language', 'violence', 'some nudity', 'brief drug use'])}${chance() < 0.5 ? ' throughout' : ''}` : ''}`,
    ),
  ],
  player: [
    field('name', [], [], person),
    field(
      'team',
      ['Team', 'Club', 'Plays for', 'Current team'],
      ['of the'],
      (draw) => `${city(draw)} ${draw.pick(NOUNS)}s`,
    ),
    field(
      'height',
      ['Height', 'Ht', 'Ht.', 'HT'],
      ['stands'],
      ({ number }) => `${number(5, 7)}-${number(0, 11)}`,
    ),
    field('weight', ['Weight', 'Wt', 'Wt.', 'WT'], ['weighs'], ({ number }) => `${number(170, 290)} lbs`),
  ],
  restaurant: [
    field('name', [], [], (draw) => `${title(draw)}${draw.chance() < 0.3 ? ' Café' : ''}`),
    field(
      'address',
      ['Address', 'Location', 'Where', 'Street'],
      ['at'],
      (draw) => `${draw.number(1, 990)} ${draw.pick(STREETS)} ${draw.pick(['St', 'Ave', 'Rd', 'Blvd'])}`,
    ),
    field('phone', ['Phone', 'Tel', 'Telephone', 'Call', 'Reservations'], ['call', 'phone'], phone),
    field('cuisine', ['Cuisine', 'Cuisines', 'Type of food', 'Category', 'Food'], ['serves'], (draw) =>
      several(
        draw,
        ({ pick }) =>
          pick(['Italian', 'French', 'Thai', 'Vegan', 'Seafood', 'Mexican', 'Indian', 'Steakhouse']),
        3,
      ),
    ),
  ],
  university: [
    field(
      'name',
      [],
      [],
      (draw) =>
        `${draw.pick(['University of ', ''])}${city(draw)}${draw.pick([' College', ' State', ' Institute', ' University'])}`,
    ),
    field(
      'phone',
      ['Phone', 'Main phone', 'Admissions', 'Telephone', 'General information'],
      ['call'],
      phone,
    ),
    field(
      'website',
      ['Website', 'Web site', 'URL', 'Homepage', 'Web'],
      ['visit'],
      (draw) => `www.${city(draw).toLowerCase()}${draw.number(1, 99)}.edu`,
    ),
    field('type', ['Type', 'Type of school', 'Control', 'Institution type', 'Sector'], ['a'], ({ pick }) =>
      pick(['Private not-for-profit', 'Public', 'Private for-profit', '4-year, Public', '2-year, Private']),
    ),
  ],
};

/** Facts that no field asks for. */
export const OTHER_LABELS = words(
  'Color Warranty Format Language Edition Hours Parking Salary Degree Experience Runtime Studio College Born Seats Doors Setting Calendar Shipping Availability',
);

export function otherValue(draw: Draw): string {
  return draw.pick([
    () => `${draw.number(1, 99)} ${draw.pick(['months', 'miles', 'pages', 'seats', 'hours'])}`,
    () => draw.pick(['Yes', 'No', 'Full time', 'English', 'Semester', 'Hardcover', 'In stock']),
    () => person(draw),
    () => longDate(draw),
    () => price(draw),
    () => city(draw),
  ])();
}
