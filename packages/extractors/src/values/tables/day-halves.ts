/** Words for the first half of a day, as CLDR's day periods and people write them. Those before a time come first in a text. */
const FIRST =
  `πμ ص صباحا صباحًا 上午 午前 凌晨 早上 清晨 오전 새벽 朝 fm förmiddag förmiddagen morgonen ap aamupäivällä aamulla vorm vormittags morgens früh dop dopoledne
rano priekšp priekšpusdienā dopoldne prijepodne ráno matin mattina mattino mañana madrugada manhã utra утра ночи ранку ochtend ochtends ÖÖ öö sáng dimineața délelőtt`.split(
    /\s+/,
  );
const SECOND =
  `μμ م مساء مساءً 下午 午後 晚上 晚 傍晚 夜 中午 오후 저녁 밤 em eftermiddag eftermiddagen kvällen ip iltapäivällä illalla nachm nachmittags abends odp odpoledne
popołudniu wieczorem pop popoldne popoldan poslijepodne pēcpusd pēcpusdienā večer večera soir tarde noche noite sera pomeriggio вечера дня вечора ngày middags avonds ÖS ös chiều tối seara
délután`.split(/\s+/);

function anyOf(words: readonly string[]): string {
  return [...words].sort((a, b) => b.length - a.length).join('|');
}

const LINK = String.raw`(?:(?:de la|de l['’]|da|di|del|du|in the|om|am|på|'s|’s)\s?)?`;
const TIME = String.raw`(\d{1,2}(?:[:.]\d{2}(?::\d{2})?)?)`;
const EDGE = String.raw`(?![\p{L}\p{M}])`;

/** In Greek and Arabic a number after the word is no time: `2:30 μ.μ. 1 σχόλιο`. */
function mayPrecede(word: string): boolean {
  return !/[\p{Script=Greek}\p{Script=Arabic}]/u.test(word);
}

const BEFORE = new RegExp(
  String.raw`(?<![\p{Script=Latin}\p{Script=Cyrillic}])(?:(${anyOf(FIRST.filter(mayPrecede))})|(${anyOf(SECOND.filter(mayPrecede))}))\.?\s*${TIME}(?![:.]?\d)`,
  'giu',
);
const AFTER = new RegExp(
  String.raw`(?<![\d:.])${TIME}(?:\s?uhr|\s?h)?\s*${LINK}(?:(${anyOf(FIRST)})|(${anyOf(SECOND)}))${EDGE}\.?`,
  'giu',
);
const GREEK = /(π|μ)\.\s?μ\./giu;
/** `14時30分05秒`, `오후 2시 30분`, `8点半` */
const EAST_ASIAN =
  /(?<!\d)(\d{1,2})\s{0,2}[時时點点시](?:\s{0,2}(\d{1,2})\s{0,2}[分분]?|(半| ?반))?(?:\s{0,2}(\d{1,2})\s{0,2}[秒초])?/gu;
/** `19 h`, `9 h 05`, `18h30` */
const HOURS = /(?<![\d:.])(\d{1,2})\s?h(?:eures?|oras?|rs)?(?:\s?(\d{2})(?:\s?min\w*)?)?(?![\p{L}\d:])/giu;

/** A text in which times of day are written as `14:30` or `2:30 pm`, whatever its language. */
export function plainTimes(text: string): string {
  const half = (time: string, first: string | undefined): string =>
    `${time.includes(':') || time.includes('.') ? time : `${time}:00`} ${first === undefined ? 'pm' : 'am'} `;
  return text
    .replaceAll(GREEK, '$1μ')
    .replaceAll(
      EAST_ASIAN,
      (_, hour: string, minute: string | undefined, isHalf: string | undefined, second: string | undefined) =>
        `${hour}:${isHalf === undefined ? (minute ?? '0').padStart(2, '0') : '30'}${second === undefined ? '' : `:${second.padStart(2, '0')}`} `,
    )
    .replaceAll(HOURS, (_, hour: string, minute: string | undefined) => `${hour}:${minute ?? '00'} `)
    .replaceAll(/(?<!\d)(?:12(?:[:.]00)?\s*)?(noon|midday)(?![\p{L}])/giu, '12:00 pm')
    .replaceAll(/(?<!\d)(?:12(?:[:.]00)?\s*)?midnight(?![\p{L}])/giu, '12:00 am')
    .replaceAll(BEFORE, (_, first: string | undefined, _second, time: string) => half(time, first))
    .replaceAll(AFTER, (_, time: string, first: string | undefined) => half(time, first));
}
