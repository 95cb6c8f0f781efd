import { ABSENT, invalidReading, valueReading, type Reading } from './reading.ts';

const TRUE = new Set(
  `true yes y t on 1 checked selected ja wahr oui vrai sí si verdadero sim verdadeiro vero да истина tak prawda evet
  doğru はい 是 真 예 네 نعم हाँ ✓ ✔ ☑`.split(/\s+/),
);

const FALSE = new Set(
  `false no n f off 0 unchecked nein falsch non faux falso não nao нет ложь nie fałsz hayır yanlış nej nei ei いいえ 否 不
  아니요 لا नहीं ✗ ✘ ☐`.split(/\s+/),
);

/** Reads words for yes and no in the larger languages. Other texts (`In stock`) need a `map` step. */
export function readBoolean(text: string): Reading<boolean> {
  const word = text.trim().toLowerCase();
  if (word === '') return ABSENT;
  if (TRUE.has(word)) return valueReading(true);
  if (FALSE.has(word)) return valueReading(false);
  return invalidReading(text, 'is neither true nor false');
}
