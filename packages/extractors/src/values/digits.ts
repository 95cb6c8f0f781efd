/** Code points of the zeros of non-ASCII decimal digits: Arabic, Persian, N'Ko, Indic scripts, Thai, Lao, Tibetan,
 *  Myanmar, Khmer, Mongolian, fullwidth. The other nine digits follow each. */
const ZEROS = [
  0x06_60, 0x06_f0, 0x07_c0, 0x09_66, 0x09_e6, 0x0a_66, 0x0a_e6, 0x0b_66, 0x0b_e6, 0x0c_66, 0x0c_e6, 0x0d_66,
  0x0e_50, 0x0e_d0, 0x0f_20, 0x10_40, 0x17_e0, 0x18_10, 0xff_10,
];

function digitOf(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  const zero = ZEROS.find((start) => code >= start && code < start + 10);
  return zero === undefined ? digit : String(code - zero);
}

/** Replaces the decimal digits, separators and minus signs of all scripts by ASCII ones. */
export function toAsciiDigits(text: string): string {
  // oxlint-disable-next-line no-control-regex
  if (/^[\u0000-\u007F]*$/.test(text)) return text;
  return text
    .replaceAll(/[^\P{Nd}0-9]/gu, digitOf)
    .replaceAll(/[\u066B]/g, '.')
    .replaceAll(/[\u066C]/g, "'")
    .replaceAll('\uFF0E', '.')
    .replaceAll('\uFF0C', ',')
    .replaceAll(/[\u2212\uFE63\uFF0D]/g, '-')
    .replaceAll(/[\u00A0\u202F\u2009\u2007]/g, ' ')
    .replaceAll(/[\u200E\u200F\u061C]/g, '');
}
