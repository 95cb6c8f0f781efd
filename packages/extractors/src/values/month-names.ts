import { agreedByAll, perLanguage } from './languages.ts';

const STYLES: Intl.DateTimeFormatOptions[] = [
  { month: 'long' },
  { month: 'short' },
  { day: 'numeric', month: 'long' },
  { day: 'numeric', month: 'short' },
];

function plain(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[.\u200F׳'॰]/g, '')
    .replaceAll('\u093C', '')
    .trim();
}

/** Month names and abbreviations of a language from the runtime's tables, in lower case and without dots. */
function namesOf(language: string): Map<string, number> {
  const names = new Map<string, number>();
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
      if (name.length > 1 && !/^\d/.test(name) && !names.has(name)) names.set(name, month);
      // Hebrew writes “in March” as one word.
      if (language === 'he' && name !== '') names.set(`ב${name}`, month);
    }
  }
  return names;
}

/** Months by their names. */
export interface Months {
  names: ReadonlyMap<string, number>;
  /** The names of several words: `meán fómhair`. */
  spaced: readonly string[];
  /** The names of the language itself. */
  own: ReadonlyMap<string, number>;
}

/** The month of the language whose name, in all its forms, alone begins so: `верес`, `studenog`. */
export function monthBegunBy(word: string, { own }: Months): number | undefined {
  if (word.length < (/^\p{Script=Cyrillic}+$/u.test(word) ? 2 : 3)) return undefined;
  const months = new Set([...own].flatMap(([name, month]) => (name.startsWith(word) ? [month] : [])));
  const [month] = months;
  return months.size === 1 ? month : undefined;
}

let common: Map<string, number> | undefined;

/** The months by name in a language, and in all others where they agree. */
export const monthsIn = perLanguage((language): Months => {
  common ??= agreedByAll(namesOf, Object.is).set('sept', 9);
  const own = language === undefined ? new Map<string, number>() : namesOf(language);
  const names = new Map([...common, ...own]);
  const spaced = [...names.keys()].filter((name) => name.includes(' '));
  for (const name of spaced) names.set(name.replaceAll(' ', ''), names.get(name) ?? 0);
  return { names, spaced, own };
});
