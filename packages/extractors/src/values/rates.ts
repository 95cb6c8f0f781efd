/** Words beside a percentage that say it is a discount or a tax rate, which is no value of its own. */
const RATE =
  /(?<!\p{L})(?:off|discount|saved?|savings?|sale|rabatt?|nachlass|sparen|gespart|remise|réduction|descuento|dto|ahorra|desconto|sconto|korting|zniżka|sleva|скидка|indirim|vat|mwst|ust|tva|iva|btw|moms|dph|ндс|gst|tax|φπα|ptu)(?!\p{L})/iu;

/** Whether a text that holds percentages only speaks of a discount or a tax: `40% OFF`, `incl. 20 % VAT`. */
export function namesRate(text: string): boolean {
  return RATE.test(text);
}

/** Whether the text after a number makes it a percentage. */
export function isPercentage(after: string): boolean {
  return /^\s?(?:%|percent\b|prozent\b)/iu.test(after.slice(0, 12));
}

const FREE =
  /^[^\p{L}]*(?:free|for free|free of charge|gratis|gratuite?|gratuito|grátis|kostenlos|kostenfrei|umsonst|za darmo|bezpłatn[yie]+|darmow[ye]|zdarma|zadarmo|bezplatne|ingyenes|ingyen|ilmainen|maksuton|gratuită?|безплатно|бесплатно|безкоштовно|besplatno|brezplačno|ücretsiz|bedava|δωρεάν|tasuta|bezmaksas|nemokamai|無料|免费|免費|무료|مجاني|مجانا|مجاناً|رایگان|חינם|मुफ़्त|ฟรี|miễn phí)[^\p{L}]*$/iu;

/** Whether the text says that something costs nothing, and no more: `Free!`, `Gratis`. */
export function isFree(text: string): boolean {
  return text.length <= 40 && FREE.test(text);
}
