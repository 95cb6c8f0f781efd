import { toAsciiDigits } from './digits.ts';
import { membersOf } from './money.ts';
import { ABSENT, invalidReading, valueReading, type Reading } from './reading.ts';

/** A rating with the best that its scale has, null where the text doesn't say. */
export interface Rating {
  [key: string]: number | null;
  value: number;
  best: number | null;
}

const NUMBER = String.raw`\d{1,3}(?:[.,]\d{1,3})?`;
const STARS = String.raw`(?:[★⭐☆]+|stars?|sternen?|étoiles?|estrellas?|estrelas?|stelle|sterren|gwiazd\p{L}*|звёзд\p{L}*|звезд\p{L}*|yıldız\p{L}*|つ星|星|点|점|points?|punkten?)`;
/** `4,6 von 5`, `4.6/5`, `4 out of 5 stars`; not `-1/5`, and no fraction: `4 1/2 out of 5` */
const OF = new RegExp(
  String.raw`(?<![\d.,/]|(?<!\p{L})-|\d\s(?=[1-3]/[2-4]\s))(${NUMBER})\s?${STARS}?\s?(?:/|(?<=[\s\p{L}])(?:out of|of|von|sur|de|di|su|van(?: de)?|av|af|z|ze|из|з|sobre|dari|på)\s)\s?(${NUMBER})(?![\d/]|[.,]\d)`,
  'giu',
);
/** The best first: `5つ星のうち4.6`, `5 yıldız üzerinden 4,6`, `5점 만점에 4.6`. */
const BEST_FIRST = new RegExp(
  String.raw`(?<![\d.,/])(\d{1,3})\s?${STARS}?\s?(?:のうち|満点中|üzerinden|만점에|만점 중)\s?(${NUMBER})(?![\d/]|[.,]\d)`,
  'giu',
);
const ALONE = new RegExp(
  String.raw`^(?:(?:rated|rating|score|bewertung|note|valoración|avaliação|voto|puntuación|оценка|рейтинг|評価|평점|评分)\s?:?\s?)?(${NUMBER})\s?${STARS}?\s*(?:\([^()]*\))?$`,
  'iu',
);
const PERCENT = new RegExp(String.raw`^(${NUMBER})\s?%$`, 'u');
const SIGNS = /^([★⭐]*)([☆✩]*)$/u;

function toNumber(text: string | undefined): number {
  return Number((text ?? '').replace(',', '.'));
}

/** The rating that all parts of the text agree on; undefined without one, `two` where they don't. */
function ratingIn(text: string): Rating | 'two' | undefined {
  const found = [
    ...[...text.matchAll(OF)].map(([, value, best]) => ({ value: toNumber(value), best: toNumber(best) })),
    ...[...text.matchAll(BEST_FIRST)].map(([, best, value]) => ({
      value: toNumber(value),
      best: toNumber(best),
    })),
  ];
  const [first] = found;
  if (first !== undefined)
    return found.every(({ value, best }) => value === first.value && best === first.best) ? first : 'two';
  const percent = PERCENT.exec(text)?.[1];
  if (percent !== undefined) return { value: toNumber(percent), best: 100 };
  const [, full = '', empty = ''] = SIGNS.exec(text.trim()) ?? [];
  if (full !== '' || empty !== '')
    return { value: full.length, best: empty === '' && full.length < 5 ? null : full.length + empty.length };
  const alone = ALONE.exec(text)?.[1];
  return alone === undefined ? undefined : { value: toNumber(alone), best: null };
}

/** A rating in data, as schema.org names its parts: `{"ratingValue": "4.6", "bestRating": 5}`. */
function readParts(text: string): string | undefined {
  const { ratingValue, bestRating } = membersOf(text);
  if (typeof ratingValue !== 'number' && typeof ratingValue !== 'string') return undefined;
  return typeof bestRating === 'number' || typeof bestRating === 'string'
    ? `${ratingValue}/${bestRating}`
    : String(ratingValue);
}

/** Reads a rating with its scale: `4,6 von 5`, `4.6/5 (120)`, `★★★★☆`, `92 %`. */
export function readRating(raw: string): Reading<Rating> {
  const text = (readParts(raw) ?? toAsciiDigits(raw)).replaceAll(/\s+/g, ' ').trim();
  if (text === '') return ABSENT;
  const rating = text.length > 200 ? undefined : ratingIn(text);
  if (rating === 'two') return invalidReading(raw, 'has several ratings');
  if (rating === undefined || rating.value > (rating.best ?? Infinity) || rating.best === 0)
    return invalidReading(raw, 'is not a rating');
  return valueReading(rating);
}
