/** What stands between two days, times or counts: `3–5 March`, `10:00 bis 11:30`, `3 y 4 de marzo`. */
export const LINK = String.raw`(?:[-–—~〜～&至]|から|到|부터|(?<!\p{L})(?:to|till|until|through|thru|and|or|bis|und|oder|au|et|ou|al?|à|às|as|até|alle?|y|e|o|do|i|lub|до|по|и|или|та|і|tot|t\/m|en|of|til|och|og|eller|až|ve|ile|και|έως|până|la|și|līdz|iki|kuni|és)(?!\p{L}))`;
const CLOCK_UNIT = String.raw`(?:\s?[ap]\.?m\.?|\s?uhr|\s?h|[時时点點시])`;

const TIME_BEFORE = new RegExp(
  String.raw`(?<!\d)\d{1,2}(?:[:.h]\d{2})?${CLOCK_UNIT}?\s?${LINK}\s?(?:l[ae]s?\s)?$`,
  'iu',
);
const TIME_AFTER = new RegExp(
  String.raw`^\s{0,2}(?:uhr\s)?(?:${LINK}\s?(?:l[ae]s?\s)?|,\s?(?=\d{1,2}:\d))\d{1,2}(?:[:.h]\d{2}|${CLOCK_UNIT}(?!\p{L})|\s?$)`,
  'iu',
);

/** Whether another time is linked to one, in the text before it or after it. */
export function isLinkedTime(before: string, after: string): boolean {
  return TIME_BEFORE.test(before.slice(-30)) || TIME_AFTER.test(after);
}

const COUNT_BEFORE = new RegExp(String.raw`\d\s?(?:${LINK}|[/、])\s?$`, 'iu');

/** Whether the number before a count is linked to it: `2-` and `2 to` before `3 days ago`, `1/` before `2 hours ago`. */
export function endsWithLinkedNumber(before: string): boolean {
  return COUNT_BEFORE.test(before.slice(-20));
}
