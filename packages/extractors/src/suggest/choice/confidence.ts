import type { FieldChoice, Known } from './choose.ts';

/** From 0 to 1: the chance that a choice is right on the site's other pages. */
export function confidenceOf({ chosen, missed }: FieldChoice, known: readonly Known[]): number {
  const [first] = chosen;
  if (first === undefined) return 0;
  const given = known.filter((value) => value !== undefined).length;
  const base = first.posterior * (missed.length === 0 ? 1 : (given - missed.length) / Math.max(1, given));
  return Math.round(base * 1000) / 1000;
}
