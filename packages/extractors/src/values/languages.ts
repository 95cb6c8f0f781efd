/** Languages whose words for months and times are read where nothing names the language. */
export const LANGUAGES: readonly string[] =
  `en de fr es it pt nl pl ru uk sv da nb fi cs sk sl hr hu ro bg el et lv lt ga mt tr he ja zh ko ar ar-SY ar-MA ar-DZ`.split(
    ' ',
  );

/** Pages can name several hundred languages and regions; most name a few. */
const MOST_LANGUAGES = 100;

/** The same function, which makes the value of each language once for all fields and pages. */
export function perLanguage<T>(
  make: (language: string | undefined) => T,
): (language: string | undefined) => T {
  const known = new Map<string | undefined, T>();
  return (language) => {
    const found = known.get(language);
    if (found !== undefined) return found;
    if (known.size === MOST_LANGUAGES) known.clear();
    const made = make(language);
    known.set(language, made);
    return made;
  };
}

/** What all languages that have a word say of it: listopad is November in Czech and October in Croatian, so none of them. */
export function agreedByAll<T>(
  wordsOf: (language: string) => ReadonlyMap<string, T>,
  isSame: (a: T, b: T) => boolean,
): Map<string, T> {
  const common = new Map<string, T>();
  const contested = new Set<string>();
  for (const language of LANGUAGES) {
    for (const [word, meaning] of wordsOf(language)) {
      const known = common.get(word);
      if (known !== undefined && !isSame(known, meaning)) contested.add(word);
      common.set(word, meaning);
    }
  }
  for (const word of contested) common.delete(word);
  return common;
}

/** The language of a page as a tag that the runtime knows; undefined for what it doesn't: a page can name anything. */
export const knownLanguage = perLanguage((language: string | undefined): string | undefined => {
  const [, code, region] = /^([a-z]{2,3})(?:[-_]([a-z]{2}|\d{3}))?(?![a-z\d])/i.exec(language ?? '') ?? [];
  if (code === undefined) return undefined;
  const [known] = Intl.DateTimeFormat.supportedLocalesOf(region === undefined ? code : `${code}-${region}`);
  return known;
});

/**
 * Whether a language writes the month before the day in all-number dates; undefined where it doesn't say: English does so in
 * the United States alone.
 */
export function isMonthFirst(language: string | undefined): boolean | undefined {
  if (language === undefined || language === 'en') return undefined;
  const parts = new Intl.DateTimeFormat(language, { dateStyle: 'short' }).formatToParts(0);
  const order = parts.map(({ type }) => type).filter((type) => type === 'month' || type === 'day');
  return order[0] === 'month';
}

/** Whether a language writes the year first in all-number dates. */
export function isYearFirst(language: string | undefined): boolean {
  if (language === undefined) return false;
  const parts = new Intl.DateTimeFormat(language, { dateStyle: 'short' }).formatToParts(0);
  return parts.find(({ type }) => type !== 'literal')?.type === 'year';
}
