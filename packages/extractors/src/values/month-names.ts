/** Languages whose month names are read when no locale is given. */
const DEFAULT_LANGUAGES = [
  'en',
  'de',
  'fr',
  'es',
  'it',
  'pt',
  'nl',
  'pl',
  'ru',
  'uk',
  'sv',
  'da',
  'nb',
  'fi',
  'cs',
  'tr',
  'ro',
  'hu',
  'el',
  'ar',
];

const STYLES: Intl.DateTimeFormatOptions[] = [
  { month: 'long' },
  { month: 'short' },
  { day: 'numeric', month: 'long' },
  { day: 'numeric', month: 'short' },
];

function plain(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[.\u200F]/g, '')
    .trim();
}

function addNames(language: string, names: Map<string, number>): void {
  for (const style of STYLES) {
    const format = new Intl.DateTimeFormat(language, {
      ...style,
      timeZone: 'UTC',
      calendar: 'gregory',
      numberingSystem: 'latn',
    });
    for (let month = 1; month <= 12; month += 1) {
      const parts = format.formatToParts(Date.UTC(2024, month - 1, 15));
      const name = plain(parts.find(({ type }) => type === 'month')?.value ?? '');
      // The first language with a name wins: listopad is November in cs and October in hr.
      if (name.length > 1 && !/^\d/.test(name) && !names.has(name)) names.set(name, month);
    }
  }
}

/** Month names and abbreviations from the runtime's tables, in lower case and without dots. */
export function monthNames(locale: string | undefined): Map<string, number> {
  const names = new Map<string, number>();
  const languages = locale === undefined ? DEFAULT_LANGUAGES : [locale.replaceAll('_', '-'), 'en'];
  for (const language of languages) addNames(language, names);
  names.set('sept', names.get('sept') ?? 9);
  return names;
}

/** Whether the locale writes the month before the day in all-number dates; undefined without one. */
export function isMonthFirst(locale: string | undefined): boolean | undefined {
  if (locale === undefined) return undefined;
  const parts = new Intl.DateTimeFormat(locale.replaceAll('_', '-'), { dateStyle: 'short' }).formatToParts(0);
  const order = parts.map(({ type }) => type).filter((type) => type === 'month' || type === 'day');
  return order[0] === 'month';
}
