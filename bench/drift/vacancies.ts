import { compileParser } from '@gleaner/extractors';
import { createRandom } from '../../test/random.ts';
import type { MadeSite } from './made-site.ts';

/**
 * A made board of vacancies. It was written after the test and has not been adjusted since, and the test has not been
 * adjusted to it: its figures are those of a site that nobody has seen.
 */

const PARSER = compileParser({
  fields: {
    role: { css: 'h1' },
    company: { css: '.company' },
    place: { css: '.place' },
    salary: { css: '.salary' },
    least_pay: { css: '.salary', type: 'number' },
    posted: { css: '.posted' },
    contract: { css: '.contract' },
    remote: { css: '.remote', type: 'boolean' },
    applicants: { css: '.applicants', type: 'number' },
    skills: { css: '.skill', take: 'all' },
    about: { css: '.about' },
  },
});

interface Vacancy {
  role: string;
  company: string;
  place: string;
  /** Empty when the company does not tell. */
  salary: string;
  posted: string;
  contract: string;
  remote: string;
  applicants: string;
  skills: string[];
  about: string;
}

const LEVELS = ['', '', '', 'Junior ', 'Senior ', 'Lead ', 'Principal '];
const ROLES = [
  'Accountant',
  'Nurse (m/f/d)',
  'Backend Engineer',
  'Data Analyst',
  'Electrician',
  'Product Manager, Payments',
  'Warehouse Worker',
  'UX/UI Designer',
  'C++ Developer',
  'Teacher – Mathematics',
  'Head of Sales',
  'QA Engineer II',
];
const COMPANIES = [
  'Aldo & Partner',
  'Brightwater Health',
  'Cobalt Systems GmbH',
  'Dune Logistics',
  'Elbe Bank',
  'Fjord Energy AS',
  'Grünwald AG',
  "Harper's",
  'Inkwell',
  'Juno 9 Labs',
];
const PLACES = ['Berlin', 'Hamburg', 'Köln', 'Frankfurt am Main', 'Lyon', 'Porto', 'Malmö', 'Leeds', 'Gent'];
const LATER_PLACES = ['Kraków', 'Brno', 'Graz', 'St. Gallen'];
const CONTRACTS = [
  'Full-time',
  'Full-time',
  'Full-time',
  'Part-time',
  'Internship',
  'Fixed-term (12 months)',
];
const SKILLS = [
  'SQL',
  'Excel',
  'Python',
  'Driving licence',
  'C1 German',
  'Kubernetes',
  'SAP',
  'First aid',
  'Git',
];
const WORDS = [
  'we',
  'offer',
  'a',
  'team',
  'with',
  'modern',
  'tools',
  'and',
  'fair',
  'pay',
  'since',
  'our',
  'start',
];

function thousands(value: number): string {
  return value.toFixed(0).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/**
 * Vacancies one after the other. A company posts up to nine in a row. Within 10,000 the share of remote ones goes from
 * a fifth to a half, pay rises by a third, and new places come.
 */
function createVacancies(seed: number): () => Vacancy {
  const random = createRandom(seed);
  const one = (texts: readonly string[]): string => texts[Math.floor(random() * texts.length)] ?? '';
  let number = 0;
  let row = 0;
  let company = '';
  let place = '';
  return () => {
    number += 1;
    const progress = Math.min(1, number / 10_000);
    if (row > 0) row -= 1;
    else {
      row = random() < 0.15 ? Math.floor(random() * 9) : 0;
      company = one(COMPANIES);
      place = random() < 0.2 * progress ? one(LATER_PLACES) : one(PLACES);
    }
    const pay = (28_000 + 50_000 * random() * random()) * (1 + progress / 3);
    const days = Math.floor(45 * random() * random());
    return {
      role: `${one(LEVELS)}${one(ROLES)}`,
      company,
      place,
      salary:
        random() < 0.25
          ? ''
          : random() < 0.2
            ? `€${thousands(pay)}`
            : `€${thousands(pay)} – €${thousands(pay * (1.1 + 0.3 * random()))}`,
      posted:
        days === 0 ? 'today' : days === 1 ? 'yesterday' : days > 30 ? '30+ days ago' : `${days} days ago`,
      contract: one(CONTRACTS),
      remote: random() < 0.2 + 0.3 * progress ? 'yes' : 'no',
      applicants: thousands(Math.exp(5.5 * random()) - 1),
      skills: SKILLS.filter(() => random() < 0.45),
      about: Array.from({ length: 12 + Math.floor(random() * 150) }, () => one(WORDS)).join(' '),
    };
  };
}

function toHtml(vacancy: Vacancy): string {
  const { role, company, place, salary, posted, contract, remote, applicants, skills, about } = vacancy;
  return `<!doctype html><title>${role} | Jobnest</title><h1>${role}</h1>
    <dl><dd class="company">${company}</dd><dd class="place">${place}</dd>
    ${salary === '' ? '' : `<dd class="salary">${salary}</dd>`}<dd class="posted">${posted}</dd>
    <dd class="contract">${contract}</dd><dd class="remote">${remote}</dd>
    <dd class="applicants">${applicants}</dd></dl>
    <ul>${skills.map((skill) => `<li class="skill">${skill}</li>`).join('')}</ul><div class="about">${about}</div>`;
}

const CHANGES: MadeSite<Vacancy>['changes'] = {
  'the pay is by the hour': (vacancy, random) => ({
    ...vacancy,
    salary: `€${(14 + 20 * random()).toFixed(2)} per hour`,
  }),
  'the pay is a word': (vacancy) => ({ ...vacancy, salary: 'Competitive' }),
  'the company is an advertisement': (vacancy) => ({ ...vacancy, company: 'Jobnest Premium' }),
  'the company is an account number': (vacancy, random) => ({
    ...vacancy,
    company: `#${Math.floor(10_000 + random() * 90_000)}`,
  }),
  'the place is an address': (vacancy, random) => ({
    ...vacancy,
    place: `${Math.floor(10_000 + random() * 80_000)} ${vacancy.place}, Main Street ${Math.ceil(random() * 90)}`,
  }),
  'the place is the country': (vacancy) => ({ ...vacancy, place: 'Germany' }),
  'the day is a date': (vacancy, random) => ({
    ...vacancy,
    posted: `2026-0${Math.ceil(random() * 9)}-${Math.floor(10 + random() * 18)}`,
  }),
  'all are of today': (vacancy) => ({ ...vacancy, posted: 'today' }),
  'contracts are codes': (vacancy, random) => ({ ...vacancy, contract: `FT0${Math.ceil(random() * 5)}` }),
  'all are remote': (vacancy) => ({ ...vacancy, remote: 'yes' }),
  'skills are one text': (vacancy) => ({ ...vacancy, skills: [vacancy.skills.join(' · ')] }),
  'skills are the menu': (vacancy) => ({
    ...vacancy,
    skills: Array.from({ length: 40 }, (_, at) => `Menu ${at}`),
  }),
  'applicants are views': (vacancy, random) => ({
    ...vacancy,
    applicants: thousands(2_000 + 90_000 * random()),
  }),
  'nobody applies': (vacancy) => ({ ...vacancy, applicants: '0' }),
  'the role has the name of the site': (vacancy) => ({ ...vacancy, role: `Jobnest: ${vacancy.role}` }),
  'the text is about cookies': (vacancy) => ({ ...vacancy, about: 'We use cookies to improve this site.' }),
};

export const VACANCIES: MadeSite<Vacancy> = {
  name: 'vacancies',
  parser: PARSER,
  create: createVacancies,
  toHtml,
  changes: CHANGES,
};
