import { perLanguage } from '../languages.ts';

export const UNITS = ['second', 'minute', 'hour', 'day', 'week', 'month', 'year'] as const;
export type Unit = (typeof UNITS)[number];

/**
 * Words around a distance in time, by language: those that put it into the past and those that put it into the future, as
 * people write them; CLDR has one of each at most.
 */
const DIRECTIONS: Readonly<Record<string, readonly [past: string, future: string]>> = {
  en: ['ago|back|earlier', 'in|within|from now|later'],
  de: ['vor|zuvor', 'in|im|nach'],
  fr: ['il y a|il ya|y a|depuis', 'dans|en|après|d ici'],
  es: ['hace|atrás|atras', 'en|dentro de'],
  pt: ['há|ha|faz|atrás|atras', 'em|dentro de|daqui a'],
  it: ['fa', 'tra|fra|in'],
  nl: ['geleden', 'over|in|binnen'],
  pl: ['temu', 'za'],
  ru: ['назад', 'через|спустя|в течение'],
  uk: ['тому', 'через|за|протягом'],
  sv: ['för sedan|för sen|sedan|sen', 'om'],
  da: ['for siden|siden', 'om'],
  nb: ['for siden|siden', 'om'],
  fi: ['sitten', 'kuluttua|päästä'],
  cs: ['před', 'za|po'],
  sk: ['pred', 'o|za'],
  sl: ['pred', 'čez'],
  hr: ['prije', 'za'],
  hu: ['ezelőtt', 'múlva'],
  ro: ['acum|în urmă cu|in urma cu', 'peste|în'],
  bg: ['преди', 'след'],
  el: ['πριν από|πριν', 'σε'],
  tr: ['önce', 'sonra|içinde'],
  he: ['לפני', 'בעוד'],
  ar: ['منذ|قبل', 'خلال|بعد'],
  ja: ['前', '後'],
  zh: ['之前|以前|前', '之后|以后|后|後|内'],
  ko: ['전', '후'],
  lv: ['pirms', 'pēc'],
  lt: ['prieš', 'po'],
  et: ['tagasi', 'pärast'],
};

/** Words for units that CLDR's units and relative times lack. */
const MORE: Readonly<Record<string, Partial<Record<Unit, string>>>> = {
  en: {
    second: 's sec secs',
    minute: 'm min mins',
    hour: 'h hr hrs',
    day: 'd',
    week: 'w wk wks',
    month: 'mo mos',
    year: 'y yr yrs',
  },
  de: {
    hour: 'h std',
    minute: 'min',
    day: 'tag tage tagen',
    month: 'monat monate monaten',
    year: 'jahr jahre jahren',
  },
  fr: { hour: 'h', minute: 'min mn', year: 'année années', day: 'j' },
  pt: { hour: 'h', minute: 'min' },
  es: { hour: 'h', minute: 'min' },
  ru: {
    hour: 'ч',
    minute: 'мин',
    second: 'сек с',
    day: 'дн сутки суток',
    week: 'нед неделю',
    month: 'мес',
    year: 'г л лет',
  },
  uk: { day: 'доба доби діб добу дн', hour: 'год', minute: 'хв', week: 'тиж', month: 'міс' },
  pl: { hour: 'godz g', minute: 'min', day: 'dn dni', month: 'mies', second: 'sek' },
  cs: { hour: 'hod h', minute: 'min', day: 'den dny dní dnem' },
  fi: {
    second: 'sekuntti sekunttia s',
    minute: 'min',
    hour: 't',
    day: 'p pv pvä',
    week: 'vk',
    month: 'kk',
    year: 'v',
  },
  nb: {
    day: 'dag dager',
    week: 'uke uker',
    month: 'måned måneder mnd',
    year: 'år',
    hour: 't',
    minute: 'min',
  },
  da: { day: 'dag dage', month: 'måned måneder mdr', year: 'år', hour: 't' },
  sv: { day: 'dag dagar dygn', month: 'mån månad månader', hour: 'tim h' },
  tr: { hour: 'sa', minute: 'dk', second: 'sn' },
  ar: {
    day: 'أيام ايام يوم يوما',
    hour: 'ساعات ساعة',
    minute: 'دقائق دقيقة',
    week: 'أسابيع أسبوع',
    month: 'أشهر شهر شهور',
    year: 'سنوات سنة',
  },
  ja: {
    month: 'ヶ月 か月 カ月 ケ月 ヵ月 箇月',
    hour: '時間',
    minute: '分 分間',
    day: '日 日間',
    week: '週 週間',
  },
  zh: {
    month: '个月 個月 月',
    hour: '小时 小時 个小时 個小時',
    minute: '分钟 分鐘 分',
    day: '天 日',
    week: '周 週 星期 个星期',
    second: '秒 秒钟',
    year: '年',
  },
  ko: { month: '달 개월', day: '일', hour: '시간', week: '주 주일' },
  he: { day: 'יום ימים', hour: 'שעה שעות', month: 'חודש חודשים' },
  hr: { month: 'mjesec mjeseca mjeseci', year: 'godina godine godinu', week: 'tjedan tjedna tjedana' },
};

/** Words that are a distance by themselves, with their number of a unit. */
const WHOLE: Readonly<Record<string, readonly (readonly [words: string, count: number, unit: Unit])[]>> = {
  en: [['half an hour|half hour', 30, 'minute']],
  ru: [
    ['полчаса', 30, 'minute'],
    ['полгода', 6, 'month'],
    ['полтора года', 18, 'month'],
    ['полтора часа', 90, 'minute'],
  ],
  uk: [
    ['півгодини', 30, 'minute'],
    ['півроку', 6, 'month'],
    ['півтора року', 18, 'month'],
  ],
  zh: [
    ['半小时|半个小时|半小時', 30, 'minute'],
    ['半年', 6, 'month'],
    ['半天', 12, 'hour'],
  ],
  ja: [['半年', 6, 'month']],
  he: [
    ['יומיים', 2, 'day'],
    ['שעתיים', 2, 'hour'],
    ['שבועיים', 2, 'week'],
    ['חודשיים', 2, 'month'],
    ['שנתיים', 2, 'year'],
  ],
  ar: [
    ['يومين', 2, 'day'],
    ['ساعتين', 2, 'hour'],
    ['دقيقتين', 2, 'minute'],
    ['أسبوعين|اسبوعين', 2, 'week'],
    ['شهرين', 2, 'month'],
    ['سنتين|عامين', 2, 'year'],
  ],
  de: [['einer halben stunde', 30, 'minute']],
  fr: [['une demi heure|une demi-heure', 30, 'minute']],
};

/** Numbers in words, from 1 on; `|` parts the numbers and a space the forms of one. */
const NUMBERS: Readonly<Record<string, string>> = {
  en: 'a an one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve',
  de: 'ein eine einer einem einen|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf',
  fr: 'un une|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|onze|douze',
  es: 'un una uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce',
  pt: 'um uma|dois duas|três|quatro|cinco|seis|sete|oito|nove|dez|onze|doze',
  it: 'un una uno|due|tre|quattro|cinque|sei|sette|otto|nove|dieci|undici|dodici',
  nl: 'een één|twee|drie|vier|vijf|zes|zeven|acht|negen|tien|elf|twaalf',
  sv: 'en ett|två|tre|fyra|fem|sex|sju|åtta|nio|tio|elva|tolv',
  da: 'en et|to|tre|fire|fem|seks|syv|otte|ni|ti|elleve|tolv',
  nb: 'en et ett|to|tre|fire|fem|seks|sju|åtte|ni|ti|elleve|tolv',
  fi: 'yksi yhden|kaksi kahden|kolme kolmen|neljä neljän|viisi viiden|kuusi kuuden|seitsemän|kahdeksan|yhdeksän|kymmenen',
  pl: 'jeden jedną jednego|dwa dwie dwóch|trzy|cztery|pięć|sześć|siedem|osiem|dziewięć|dziesięć',
  cs: 'jeden jednu jedním jednou|dva dvě dvěma|tři třemi|čtyři čtyřmi|pět pěti|šest šesti|sedm sedmi|osm osmi|devět devíti|deset deseti',
  ru: 'один одну одна|два две двое пару пары пара|три трое|четыре четверо|пять|шесть|семь|восемь|девять|десять|одиннадцать|двенадцать',
  uk: 'один одну одна|два дві двоє|три|чотири|п ять|шість|сім|вісім|дев ять|десять|одинадцять|дванадцять',
  bg: 'един една едно|два две|три|четири|пет|шест|седем|осем|девет|десет',
  ro: 'un o una|doi două|trei|patru|cinci|șase|șapte|opt|nouă|zece',
  tr: 'bir|iki|üç|dört|beş|altı|yedi|sekiz|dokuz|on',
  el: 'ένα έναν μία μια|δύο|τρεις τρία|τέσσερις τέσσερα|πέντε|έξι|επτά|οκτώ|εννέα|δέκα',
};
/** The words for two and more in all languages. */
export const numberWords: ReadonlySet<string> = new Set(
  Object.values(NUMBERS)
    .flatMap((numbers) => numbers.split('|').slice(1))
    .flatMap((forms) => forms.split(' ')),
);
const TENS: Readonly<Record<string, string>> = {
  en: 'twenty|thirty|forty|fifty|sixty',
  ru: 'двадцать|тридцать|сорок|пятьдесят|шестьдесят',
  uk: 'двадцять|тридцять|сорок|п ятдесят|шістдесят',
  cs: 'dvacet dvaceti|třicet třiceti|čtyřicet čtyřiceti|padesát padesáti|šedesát šedesáti',
};

/** What a language says of distances in time. */
export interface DistanceWords {
  past: readonly string[];
  future: readonly string[];
  units: ReadonlyMap<string, Unit>;
  whole: ReadonlyMap<string, readonly [count: number, unit: Unit]>;
  numbers: ReadonlyMap<string, number>;
}

function plainUnit(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[.\u200E\u200F]/g, '')
    .replaceAll(/['’׳״]/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function unitsOf(language: string, directions: readonly string[]): Map<string, Unit> {
  const units = new Map<string, Unit>();
  const add = (word: string, unit: Unit): void => {
    const plain = plainUnit(word);
    if (plain !== '' && !/\d/.test(plain) && !units.has(plain)) units.set(plain, unit);
  };
  const [main = ''] = language.split('-');
  for (const [unit, words] of Object.entries(MORE[main] ?? {}))
    for (const word of words.split(' ')) add(word, UNITS.find((one) => one === unit) ?? 'day');
  const around = directions.flatMap((one) => one.split(' ')).sort((a, b) => b.length - a.length);
  for (const unit of UNITS) {
    for (const unitDisplay of ['long', 'short', 'narrow'] as const) {
      const format = new Intl.NumberFormat(language, {
        style: 'unit',
        unit,
        unitDisplay,
        numberingSystem: 'latn',
      });
      for (const count of [1, 2, 3, 5, 11, 21]) {
        const parts = format.formatToParts(count).filter(({ type }) => type === 'unit');
        add(parts.map(({ value }) => value).join(' '), unit);
      }
    }
    const relative = new Intl.RelativeTimeFormat(`${language}-u-nu-latn`);
    for (const count of [-1, -2, -3, -5, -11, -21, 1, 2, 5]) {
      // A phrase without its number and its direction is the unit, in its case.
      const words = plainUnit(relative.format(count, unit)).split(/[\s\d]+/);
      const left = words.flatMap((word) => {
        const at = around.find(
          (one) =>
            word === one ||
            (/[^\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]/u.test(one) && word.endsWith(one)),
        );
        return at === undefined ? [word] : [word.slice(0, word.length - at.length)];
      });
      add(left.filter((word) => word !== '').join(' '), unit);
    }
  }
  return units;
}

function numbersOf(language: string): Map<string, number> {
  const numbers = new Map<string, number>();
  for (const [place, forms] of (NUMBERS[language] ?? '').split('|').entries())
    for (const form of forms.split(language === 'uk' && forms.includes(' ять') ? '|' : ' '))
      if (form !== '') numbers.set(form, place + 1);
  for (const [place, forms] of (TENS[language] ?? '').split('|').entries())
    for (const form of forms.split(language === 'uk' && forms.includes('п ят') ? '|' : ' '))
      if (form !== '') numbers.set(form, (place + 2) * 10);
  return numbers;
}

/** The words of a language whose directions are known; undefined for others. */
export const distanceWordsIn = perLanguage((language): DistanceWords | undefined => {
  const [code = ''] = (language ?? '').split('-');
  const main = code === 'no' ? 'nb' : code;
  const directions = DIRECTIONS[main];
  if (directions === undefined) return undefined;
  const [past, future] = directions.map((words) => words.split('|').sort((a, b) => b.length - a.length));
  const whole = (WHOLE[main] ?? []).flatMap(([words, count, unit]) =>
    words.split('|').map((word) => [plainUnit(word), [count, unit] as const] as const),
  );
  return {
    past: past ?? [],
    future: future ?? [],
    units: unitsOf(main, [...(past ?? []), ...(future ?? [])]),
    whole: new Map(whole),
    numbers: numbersOf(main),
  };
});
