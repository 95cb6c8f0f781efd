/** Code points of the zeros of scripts. The other nine digits follow each. */
const ZEROS = [
  0x06_60, 0x06_f0, 0x07_c0, 0x09_66, 0x09_e6, 0x0a_66, 0x0a_e6, 0x0b_66, 0x0b_e6, 0x0c_66, 0x0c_e6, 0x0d_66,
  0x0e_50, 0x0e_d0, 0x0f_20, 0x10_40, 0x17_e0, 0x18_10,
];

function digitOf(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  const zero = ZEROS.find((start) => code >= start && code < start + 10);
  return zero === undefined ? digit : String(code - zero);
}

/** Replaces digits, separators, minus signs and spaces of all scripts by ASCII ones, and leaves out what nobody sees. */
export function toAsciiDigits(text: string): string {
  // oxlint-disable-next-line no-control-regex
  if (/^[\u0000-\u007F]*$/.test(text)) return text;
  return (
    text
      .replaceAll(/[\u00AD\u061C\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/g, '')
      // Full-width forms are ASCII at a distance.
      .replaceAll(/[\uFF01-\uFF5E]/g, (sign) => String.fromCodePoint(sign.charCodeAt(0) - 0xfe_e0))
      .replaceAll(/[\uFFE0\uFFE1\uFFE5\uFFE6]/g, (sign) => sign.normalize('NFKC'))
      .replaceAll(/[^\P{Nd}0-9]/gu, digitOf)
      .replaceAll('\u066B', '.')
      .replaceAll('\u066C', "'")
      .replaceAll(/(?<=\d)[\u060C\u3001](?=\d)/g, ',')
      .replaceAll(/(?<=\d)[\u00B7\u2027](?=\d)/g, '.')
      .replaceAll(/(?<=\d)[\u2019\u00B4\u0060\u02BC](?=\d)/g, "'")
      .replaceAll('\u066A', '%')
      .replaceAll(/[\u2212\uFE63]/g, '-')
      .replaceAll(/[\p{Zs}]/gu, ' ')
  );
}
