import { numberWords } from './distance-words.ts';

/** Times of day and parts of a day in words. Those of `plainTimes` are read where a number stands beside them. */
const WORDS =
  `morning|afternoon|evening|night|tonight|lunchtime|noon|midday|midnight|mittags?|mitternachts?|vormittags?|nachmittags?|morgens|abends?|nachts|midi|minuit|matin|soir
|mediodía|medianoche|mañana|tarde|noche|madrugada|meio[-\\s]dia|meia[-\\s]noite|manhã|noite|mezzogiorno|mezzanotte|mattin[ao]|pomeriggio|middags?|middernacht|ochtends?|avonds?
|południe|północ|rano|wieczorem|полдень|полночь|утром|дн[её]м|вечером|ночью|опівдні|опівночі|ранку|вечора|poledne|půlnoc|večer|délben|éjfél(?:kor)?|öğlen?|gece|sabah|akşam
|μεσημέρι|μεσάνυχτα|πρωί|βράδυ|keskipäivällä|keskiyöllä|aamulla|illalla|kvällen|förmiddagen|eftermiddagen|formiddagen|ettermiddagen`.replaceAll(
    '\n',
    '',
  );
const SIGNS =
  '正午|中午|下午|上午|晚上|早上|凌晨|傍晚|清晨|午前|午後|半夜|午夜|深夜|夕方|정오|자정|오전|오후|아침|저녁|새벽';
/** `half past ten`, `viertel nach 8`, `halb acht`, `kwart over` */
const HALVES = String.raw`(?:half|quarter|ten|twenty|five)\s(?:past|to|till)\s|(?:halb|dreiviertel|half|halv)\s\p{L}{3}|(?:viertel|kwart|kvart)\s(?:nach|vor|over|voor|över|i)\s|wpół\sdo|пол\p{L}{3,}ого(?!\p{L})|половин\p{L}\s\p{L}+ого(?!\p{L})`;
const HOURS = String.raw`o['’]?\s?clock|uhr|uur|heures?|часов|часа?|годин[иіау]?|hodin\p{L}?|óra(?:kor)?`;
/** Words right before an hour: `at 8`, `a las ocho`, `klo 10`. */
const LINKS = String.raw`at|@|um|gegen|à|vers|a\sl[ae]s?|alle|ore|às|as|om|kl|klo|kello|klockan|klokken|(?:o\s)?godz|o|в|о|об|у|u|v|ve|saat|στις|ώρα|(?:la\s)?or[ae]le?|la\sora|ob|plkst|val|pukul|lúc`;
const NUMBERS = [...numberWords].join('|');
const EDGE = String.raw`(?!\p{L})`;

const AFTER = new RegExp(
  [
    String.raw`^[^\d\n]{0,16}(?:\d{1,2}\s?(?::\d|h[\d:]|[時时點点시]|[ap]\.?m${EDGE}|(?:${HOURS})${EDGE})|[一二三四五六七八九十两兩]{1,3}\s?[時时點点])`,
    String.raw`^[^\d\n]{0,12}(?<!\p{L})(?:${WORDS})${EDGE}|^[^\d\n]{0,6}(?:${SIGNS})`,
    String.raw`^[^\d\n]{0,12}(?<!\p{L})(?:${HALVES})`,
    String.raw`^[^\d\n]{0,16}(?<!\p{L})(?:${HOURS})${EDGE}`,
    String.raw`^[\s,.(·–—-]{0,4}(?:${LINKS})(?:\.?\s?\d{1,2}(?![\d%]|[.,]\d)|\.?\s(?:${NUMBERS})${EDGE})`,
    // `2026-03-03 1030`
    String.raw`^[\s,T]{1,3}(?:[01]\d|2[0-3])[0-5]\d(?!\d)`,
  ].join('|'),
  'iu',
);
const BEFORE = new RegExp(
  String.raw`(?<!\p{L})(?:${WORDS}|(?:${HALVES})\p{L}{0,12}|\p{L}{2,12}\s(?:${HOURS})|(?:at|um|klo|kl|godz|a\slas|alle|às|saat)\.?\s(?:\d{1,2}|${NUMBERS})(?:\s(?:${HOURS}))?)[\s,]{0,3}(?:(?:on|am|le|el|il|den|of|des|du)\s)?(?:the\s)?$`,
  'iu',
);
/** What makes an hour that was read another time: `8 heures et demie`, `a las 8:00 y media`, `8点三刻`. */
export const LEFT_FRACTION =
  /^\s{0,2}(?:et\s(?:demi|quart)|moins\s|y\s(?:media|cuarto)|menos\s|e\s(?:mezz|meia|un\squarto)|meno\s|[一三]刻)/iu;

/** Whether a time of day that is not read stands beside a date. */
export function hasLeftTime(before: string, after: string): boolean {
  return AFTER.test(after.slice(0, 40)) || BEFORE.test(before.slice(-40));
}
