import { perLanguage } from './languages.ts';
import { monthsIn } from './month-names.ts';
import type { Unit } from './tables/distance-words.ts';
import { weekdayNames } from './weekday-names.ts';

/** Words for a part of a unit beside a count: `half a year ago`, `hace un año y medio`. */
const PART =
  /(?<!\p{L})(?:half|halves|quarters?|halb\p{L}*|viertel|demie?|quart|medi[ao]|mei[ao]|mezz[ao]|polowin\p{L}|połow\p{L}|pół|половин\p{L}*|четверт\p{L}*|kwart\p{L}*|halvt?|halva|kvart\p{L}*|puoli|puolta|půl|pol|pola|jumătate|jumatate|fél|buçuk|yarım|μισ\p{L}+|نصف|חצי|ורבע|نص)(?!\p{L})|半|(?<!\p{L})반(?!\p{L})/iu;
/** Words before a day that make it another one or none: `antes de ayer`, `until tomorrow`. */
const TURN =
  /(?<!\p{L})(?:before|after|until|till|since|avant|après|depuis|jusqu['’ ]?à|antes\sde|después\sde|depois\sde|hasta|desde|até|vor|nach|bis|seit|prima\sdi|dopo|fino\sa|l['’]?altro|do|od|przed|po|до|после|с|від|перед|sinds|tot|till|före|efter)[\s-]$/iu;

/** Words that stand right beside a relative time where words have no spaces, and change nothing of it. */
const DEED =
  '发布|發布|发表|發表|更新|编辑|編輯|修改|回复|回覆|投稿|公開|掲載|作成|登録|등록|작성|수정|게시|업데이트';
const PERIOD = '上午|下午|中午|晚上|早上|凌晨|午前|午後|오전|오후|아침|저녁|朝|夜|晚';
const BESIDE_BEFORE = new RegExp(`(?:${DEED}|于|於|在|约|約|に|は|の)$`, 'u');
const BESIDE_AFTER = new RegExp(`^(?:${DEED}|${PERIOD}|的|の|に|は|에|左右|頃|ごろ|쯤)`, 'u');

/** Whether a word without spaces goes on in the text around it: `前天` in `大前天`, `来週` in `再来週`. */
export function isWithinWord(before: string, after: string, phrase: string): boolean {
  const isLetter = (sign: string | undefined): boolean =>
    sign !== undefined &&
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]/u.test(sign);
  return (
    (isLetter(phrase[0]) && isLetter(before.at(-1)) && !BESIDE_BEFORE.test(before.slice(-6))) ||
    (isLetter(phrase.at(-1)) && isLetter(after[0]) && !BESIDE_AFTER.test(after.slice(0, 6)))
  );
}

const CLOCK = /(?<![\d:])\d{1,2}:\d{2}(?![\d:])/g;
const UNSPACED = /[\p{Script=Han}\p{Script=Hangul}]/u;

/** The weekdays of a language without the endings that its cases change. */
const weekdaysIn = perLanguage((language): readonly string[] =>
  ['en', language]
    .flatMap((one) => weekdayNames(one, 'long'))
    .map((name) => (UNSPACED.test(name) ? name : name.slice(0, Math.max(3, name.length - 2)))),
);

/** Whether a text names a day of a week, a month or a year. */
function namesDay(text: string, language: string | undefined): boolean {
  if (/\d\s?[月월日일号號]|\d(?:st|nd|rd|th)(?!\p{L})/u.test(text)) return true;
  const { own, names } = monthsIn(language);
  const months = own.size > 0 ? own : names;
  const words = text.match(/[\p{L}\p{M}]{3,}/gu) ?? [];
  return (
    weekdaysIn(language).some((day) =>
      UNSPACED.test(day) ? text.includes(day) : words.some((word) => word.startsWith(day)),
    ) || words.some((word) => months.has(word))
  );
}

/**
 * Whether the text around a relative time holds what belongs to it and is not understood: `last year, March 3`, `Tuesday last
 * week`, `half a year ago`.
 * @param isCounted whether it has a number: `2 weeks ago`, not `last week`
 */
export function leavesPart(
  { before, after }: { before: string; after: string },
  { unit, isCounted }: { unit: Unit; isCounted: boolean },
  language: string | undefined,
): boolean {
  const rest = `${before} ${after}`;
  if (!isCounted && TURN.test(before)) return true;
  const isLong = unit === 'week' || unit === 'month' || unit === 'year';
  if ((isCounted || isLong) && PART.test(rest)) return true;
  const hasNumber = !isCounted && /\d/.test(rest.replaceAll(CLOCK, ''));
  return isLong && (hasNumber || namesDay(rest, language));
}
