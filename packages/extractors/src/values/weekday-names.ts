/** The names of the seven weekdays in a language, in small letters; undefined: in English. */
export function weekdayNames(language: string | undefined, weekday: 'long' | 'short'): string[] {
  const { format } = new Intl.DateTimeFormat(language ?? 'en', { weekday, timeZone: 'UTC' });
  return Array.from({ length: 7 }, (_, day) => format(Date.UTC(2024, 0, day + 1)).toLowerCase());
}
