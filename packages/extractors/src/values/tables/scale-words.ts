import { perLanguage } from '../languages.ts';
import { numberTable } from '../number-table.ts';

/** Words that CLDR's compact forms lack, by language: how people write them without accents, in short, or borrowed. */
const MORE: Readonly<Record<string, string>> = {
  hi: 'हजार 3|lakh lac 5|cr crore 7|मिलियन 6|बिलियन 9|ट्रिलियन 12',
  de: 'tsd tausend 3|mio mill 6|mrd 9',
  es: 'mills 6|bn 12',
  nl: 'mio 6|biljard 15|triljoen 18',
  sv: 'mkr 6|mdr mdkr 9|triljon triljoner 18',
  da: 'tus 3|mill 6|mia 9',
  nb: 'mrd 9',
  it: 'mio 6|bilione bilioni 12',
  el: 'χιλ 3|εκ εκατ 6|δισ δισεκ 9',
  pl: 'mio 6|mrd 9',
  ar: 'تريليون 12|الف 3|بليون 9',
  zh: '百万 6',
};

/** Powers of ten of words in the languages of English pages, and of those that mean the same in all that have them. */
const COMMON = numberTable(`
thousand tsd tausend mille mil mila duizend tusen tys tis bin тыс тысяч тис ألف हज़ार 3|lakh lakhs lac लाख 5
million millions mln mn mio millionen millón millones milhão milhões mi milione milioni miljoen miljon miljoner mkr 6
milyon млн مليون 6|crore crores cr करोड़ 7|billion billions bn bln mrd milliarde milliarden md mds milliard milliards 9
bilhão bilhões miliardo miliardi miljard miljarder mia mld milyar млрд مليار 9|trillion trillions tn tln трлн 12
billón billones biljoen biljoner 12
`);

/** A word without dots, and of Latin letters without accents: `milhoes` and `milhões` are one. */
export function plainWord(word: string): string {
  // oxlint-disable-next-line no-control-regex
  if (/^[\u0000-\u007F]*$/.test(word)) return word.toLowerCase().replaceAll('.', '');
  const plain = word.toLowerCase().replaceAll(/[.॰]/g, '').normalize('NFD');
  return plain.replaceAll(/(\p{Script=Latin})\p{M}+/gu, '$1').normalize('NFC');
}

/** The words of a language for powers of ten, from the runtime's compact forms (CLDR); capital letters alone keep their case. */
export const scalesIn = perLanguage((language): ReadonlyMap<string, number> => {
  const scales = new Map<string, number>();
  if (language === undefined) return scales;
  for (const compactDisplay of ['long', 'short'] as const) {
    const format = new Intl.NumberFormat(language, {
      notation: 'compact',
      compactDisplay,
      numberingSystem: 'latn',
      useGrouping: false,
    });
    for (let power = 3; power <= 14; power += 1) {
      for (const factor of [1, 2, 5, 1.5]) {
        const parts = format.formatToParts(factor * 10 ** power);
        const written = parts.filter(({ type }) => type === 'compact').map(({ value }) => value);
        const whole = parts.find(({ type }) => type === 'integer')?.value ?? '';
        const rest = parts.find(({ type }) => type === 'fraction')?.value ?? '0';
        const [word = ''] = written;
        if (written.length !== 1 || /\s/.test(word) || whole === '') continue;
        const size = Math.round(Math.log10((factor * 10 ** power) / Number(`${whole}.${rest}`)));
        scales.set(word.length === 1 ? word : plainWord(word), size);
      }
    }
  }
  for (const [word, power] of numberTable(MORE[language.split('-')[0] ?? ''] ?? 'x 0'))
    if (power > 0) scales.set(plainWord(word), power);
  return scales;
});

const PLAIN_COMMON = new Map([...COMMON].map(([word, power]) => [plainWord(word), power]));

/** The power of ten of a word where its language doesn't have it. */
export function commonScale(word: string): number | undefined {
  return PLAIN_COMMON.get(plainWord(word));
}
