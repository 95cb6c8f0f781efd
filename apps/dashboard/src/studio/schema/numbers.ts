/** At most a sign, a currency or a few letters before and after the digits. */
const NUMBER = /^[^\d\n(]{0,5}-?\d[\d.,\u00A0\u202F' ]*[^\d\n)]{0,6}$/;
const HAS_MARK = /[\p{Sc}.,%]/u;
/** EAN, ISBN, telephone numbers and identifiers: as a number they would lose zeros or mean an amount. */
const CODE = /^\D{0,5}(?:0\d|\d{8,}\D{0,6}$)|^\D{0,3}\+|\d[-/ ]\d{1,2}[-/ ]|\d\.\d+\.\d+\.\d/;
const CODE_NAME =
  /(?:^|_)(?:id|ids|code|ean|gtin\d*|isbn\d*|issn|upc|sku|mpn|asin|phone|telephone|tel|fax|mobile|zip|postal|postcode|plz|iban|serial|ref|reference|number|no|nr)(?:_|$)/;
const MAX_LENGTH = 24;

/** Whether a text is an amount: `12,50 €`, `40 %`, `1,204`. No code is, and no amount in parentheses. */
export function isNumberText(text: string): boolean {
  const value = text.trim();
  if (value.length > MAX_LENGTH || !NUMBER.test(value) || CODE.test(value)) return false;
  return HAS_MARK.test(value) || /^-?\d+$/.test(value);
}

/** Whether a field's name says that its digits are a code. */
export function isCodeName(name: string): boolean {
  return CODE_NAME.test(name);
}
