interface Family {
  /** Primary tags of languages. */
  languages: string;
  /** Top-level domains. Those of the whole world say nothing. */
  domains: string;
  encodings: readonly string[];
}

/** The encodings of old pages by their language, as browsers know them. */
const FAMILIES: readonly Family[] = [
  { languages: 'ja', domains: 'jp', encodings: ['Shift_JIS', 'EUC-JP'] },
  { languages: 'zh', domains: 'cn tw hk mo', encodings: ['gb18030', 'Big5'] },
  { languages: 'ko', domains: 'kr', encodings: ['EUC-KR'] },
  {
    languages: 'ru uk be bg sr mk kk',
    domains: 'ru su xn--p1ai ua by bg rs mk kz',
    encodings: ['windows-1251', 'KOI8-R', 'KOI8-U', 'ISO-8859-5', 'IBM866', 'x-mac-cyrillic'],
  },
  { languages: 'el', domains: 'gr cy', encodings: ['windows-1253', 'ISO-8859-7'] },
  { languages: 'he iw yi', domains: 'il', encodings: ['windows-1255', 'ISO-8859-8'] },
  { languages: 'ar fa ur', domains: 'sa eg ae sy jo kw ir pk', encodings: ['windows-1256', 'ISO-8859-6'] },
  { languages: 'th', domains: 'th', encodings: ['windows-874'] },
  { languages: 'tr az', domains: 'tr az', encodings: ['windows-1254'] },
  {
    languages: 'pl cs sk hu sl hr ro bs sq',
    domains: 'pl cz sk hu si hr ro ba al',
    encodings: ['windows-1250', 'ISO-8859-2'],
  },
  { languages: 'lt lv et', domains: 'lt lv ee', encodings: ['windows-1257'] },
  { languages: 'vi', domains: 'vn', encodings: ['windows-1258'] },
  {
    languages: 'en de fr es pt it nl sv no nb nn da fi is ca',
    domains: 'de at ch fr be nl uk ie it es pt br mx ar cl co se no dk fi is',
    encodings: ['windows-1252'],
  },
];

const LANGUAGE = /<html\b[^<>]*?\slang\s{0,9}=\s{0,9}["']?\s{0,9}([a-z]{2,3})/i;

function familyWith(word: string | undefined, list: 'languages' | 'domains'): readonly string[] {
  if (word === undefined) return [];
  return FAMILIES.find((family) => family[list].split(' ').includes(word))?.encodings ?? [];
}

/**
 * What the page's language and the domain of its address make likely. An encoding that both name stands twice.
 * @param head what precedes the page's body, as `headOf` gives it
 */
export function likelyEncodings(head: string, address: string | undefined): readonly string[] {
  const host = address === undefined ? undefined : URL.parse(address)?.hostname;
  return [
    ...familyWith(LANGUAGE.exec(head)?.[1]?.toLowerCase(), 'languages'),
    ...familyWith(host?.slice(host.lastIndexOf('.') + 1), 'domains'),
  ];
}
