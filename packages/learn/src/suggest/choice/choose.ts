import type { Words } from '../page/names.ts';
import type { Family } from '../candidates/candidate.ts';
import { keepLikelier, programsFor, runProgram, type Program, type Workbench } from './programs.ts';
import { fold } from '../page/text.ts';
import { isSame, type Known, type KnownByPage, type WantedValue } from '../values/wanted.ts';

export interface Judged {
  readonly program: Program;
  /** By page: right, wrong (another value), nothing found, or not known. */
  readonly verdicts: readonly ChoiceVerdict[];
  /** The chance of being right on other pages. */
  readonly posterior: number;
}

export type ChoiceVerdict = 'right' | 'wrong' | 'nothing' | 'open';

function verdictOf(read: WantedValue | undefined, known: Known): ChoiceVerdict {
  if (known === undefined) return 'open';
  if (known === null) return read === undefined ? 'right' : 'wrong';
  if (isSame(read, known)) return 'right';
  return read === undefined ? 'nothing' : 'wrong';
}

/** The chance that a wrong program still finds the right value on another page. */
const CHANCE = 0.22;
const CHANCE_SAME = 0.85;

/** Weights of pages without an example: with examples of other fields they probably lack this one, else they have it. */
const OPEN = { lacking: { found: 0.8, nothing: 1.1 }, likely: { found: 1.25, nothing: 0.7 } } as const;

/** The effect of one wrong value on the odds. Earlier values may have changed on the page since. */
const WRONG = { examples: 0.05, earlier: 0.4 } as const;

/** `examples` are right on their pages; `earlier` values were right and may have changed. */
export type Trust = keyof typeof WRONG;

function posteriorOf(
  program: Program,
  verdicts: readonly ChoiceVerdict[],
  known: KnownByPage,
  trust: Trust,
  open: (page: number) => number,
): number {
  const prior = Math.min(0.985, Math.max(0.001, program.prior));
  let odds = prior / (1 - prior);
  const origin = known[program.origin];
  for (const [page, verdict] of verdicts.entries()) {
    if (page === program.origin) continue;
    if (verdict === 'open') {
      odds *= open(page);
      continue;
    }
    const value = known[page];
    const same =
      value === origin ||
      (typeof value === 'string' && typeof origin === 'string' && fold(value) === fold(origin));
    if (verdict === 'right') odds /= value === null ? 0.6 : same ? CHANCE_SAME : CHANCE;
    if (verdict === 'nothing') odds *= 0.5;
    if (verdict === 'wrong') odds *= WRONG[trust];
  }
  return odds / (1 + odds);
}

export interface FieldChoice {
  /** In the order in which they are tried. */
  readonly chosen: readonly Judged[];
  /** Other programs that also find every example, best first. */
  readonly others: readonly Judged[];
  /** Pages on which the choice doesn't find the example. */
  readonly missed: readonly number[];
}

function isRight({ verdicts }: Judged, trust: Trust): boolean {
  if (trust === 'examples') return verdicts.every((verdict) => verdict === 'right' || verdict === 'open');
  const known = verdicts.filter((verdict) => verdict !== 'open').length;
  const right = verdicts.filter((verdict) => verdict === 'right').length;
  return right >= Math.min(2, known) && right >= MAJORITY * known;
}

/** A program counts as right when it still finds this share of the earlier values. */
const MAJORITY = 0.5;

/** Kinds of evidence that break together. */
const KIN: Readonly<Partial<Record<Family, string>>> = {
  attribute: 'class',
  itemprop: 'class',
  jsonld: 'data',
  microdata: 'data',
  json: 'data',
  data: 'class',
};

function kindOf({ program }: Judged): string {
  const { family } = program.candidate;
  return KIN[family] ?? family;
}

const FALLBACKS = 4;

/** Fallbacks of other kinds: each is used where the previous ones find nothing. */
function withFallbacks(first: Judged, rest: readonly Judged[]): Judged[] {
  const chosen = [first];
  for (const item of rest) {
    if (chosen.length > FALLBACKS) break;
    const kind = kindOf(item);
    const limit =
      kind === 'label' || kind === 'class' || (kind === 'position' && first.posterior < 0.6) ? 2 : 1;
    if (chosen.filter((one) => kindOf(one) === kind).length >= limit) continue;
    if (item.posterior < leastPosterior(first, kind)) continue;
    if (kind === 'label' && first.posterior >= 0.65 && isOtherLabel(first, item)) continue;
    chosen.push(item);
  }
  return chosen;
}

/** A page without the one label probably lacks the value, and the other label's value is another field's. */
function isOtherLabel(first: Judged, item: Judged): boolean {
  const { anchor } = first.program.candidate;
  return anchor !== undefined && item.program.candidate.anchor !== anchor;
}

/** Where a reliable label is missing, the value is usually missing too, and its place holds another value. */
function leastPosterior(first: Judged, kind: string): number {
  const isSure = first.program.candidate.family === 'label' && first.posterior >= 0.65;
  if (isSure) return kind === 'position' || kind === 'tag' || kind === 'shape' ? Infinity : 0.5;
  return first.posterior < 0.6 ? 0.05 : 0.12;
}

/** A program's chance on the pages of its layout. Pages where it finds nothing don't count. */
function ownChance({ program, verdicts }: Judged, known: KnownByPage): number {
  return posteriorOf(
    program,
    verdicts.map((verdict) => (verdict === 'right' ? 'right' : 'open')),
    known,
    'examples',
    () => 1,
  );
}

/**
 * Several programs that together find all examples, for pages of several layouts. An earlier program wins wherever it
 * finds something, so it must not find wrong values on the pages of the later ones.
 */
function cover(judged: readonly Judged[], known: KnownByPage): Judged[] {
  const open = new Set(known.flatMap((value, page) => (value === undefined || value === null ? [] : [page])));
  const chosen: Judged[] = [];
  const usable = judged
    .filter(({ verdicts }) => verdicts.every((verdict, page) => verdict !== 'wrong' || known[page] !== null))
    .map((item) => ({ item, chance: ownChance(item, known) }));
  while (open.size > 0 && chosen.length < 4) {
    let best: Judged | undefined;
    let most = 0;
    for (const { item, chance } of usable) {
      const harms = item.verdicts.some((verdict, page) => verdict === 'wrong' && open.has(page));
      if (harms) continue;
      const gain = item.verdicts.filter((verdict, page) => verdict === 'right' && open.has(page)).length;
      const score = gain === 0 ? 0 : chance + 0.08 * (gain - 1);
      if (score > most) {
        most = score;
        best = item;
      }
    }
    if (best === undefined) break;
    chosen.push(best);
    for (const [page, verdict] of best.verdicts.entries()) if (verdict === 'right') open.delete(page);
  }
  return chosen;
}

function missedBy(chosen: readonly Judged[], known: KnownByPage): number[] {
  return known.flatMap((value, page) => {
    if (value === undefined) return [];
    const first = chosen.find(
      ({ verdicts }) => verdicts[page] === 'wrong' || (value !== null && verdicts[page] === 'right'),
    );
    const isGiven = value === null ? first === undefined : first?.verdicts[page] === 'right';
    return isGiven ? [] : [page];
  });
}

const MAX_JUDGED = 900;

/** A single program for all pages is chosen at once when it is at least this likely. */
const SURE = 0.75;

/** After this many right programs, further ones are only checked for kinds of evidence with few programs. */
const ENOUGH = 50;
const ENOUGH_OF_A_KIND = 4;

/** The results of the programs on every page, likeliest first. */
function judgeAll(
  bench: Workbench,
  programs: readonly Program[],
  known: KnownByPage,
  trust: Trust,
): Judged[] {
  const judged: Judged[] = [];
  const rights = new Map<Family, number>();
  let right = 0;
  for (const program of programs.toSorted((a, b) => b.prior - a.prior).slice(0, MAX_JUDGED)) {
    const { family } = program.candidate;
    if (right >= ENOUGH && (rights.get(family) ?? 0) >= ENOUGH_OF_A_KIND) continue;
    const reads = bench.models.map((model) => runProgram(program, model));
    const verdicts = reads.map((read, page) => verdictOf(read, known[page]));
    const open = (page: number): number => {
      const weight = bench.hasExamples[page] === true ? OPEN.lacking : OPEN.likely;
      return reads[page] === undefined ? weight.nothing : weight.found;
    };
    const item: Judged = { program, verdicts, posterior: posteriorOf(program, verdicts, known, trust, open) };
    judged.push(item);
    if (!isRight(item, trust)) continue;
    right += 1;
    rights.set(family, (rights.get(family) ?? 0) + 1);
  }
  return judged.toSorted((a, b) => b.posterior - a.posterior);
}

/** Finds programs for a field's examples, checks each on every page, and chooses. */
export function chooseFor(
  bench: Workbench,
  known: KnownByPage,
  field: Words,
  trust: Trust = 'examples',
): FieldChoice {
  const programs = new Map<string, Program>();
  for (const [page, wanted] of known.entries()) {
    const model = bench.models[page];
    if (model === undefined || wanted === undefined || wanted === null) continue;
    for (const item of programsFor(bench, page, model, { wanted, field, known }))
      keepLikelier(programs, item);
  }
  const judged = judgeAll(bench, [...programs.values()], known, trust);
  const right = judged.filter((item) => isRight(item, trust));
  const [first, ...rest] = right;
  if (first !== undefined && (first.posterior >= SURE || trust === 'earlier'))
    return { chosen: withFallbacks(first, rest), others: right, missed: [] };
  const chosen = cover(judged, known);
  const missed = missedBy(chosen, known);
  const chance = chosen.reduce((product, item) => product * ownChance(item, known), 0.85);
  if (first !== undefined && (missed.length > 0 || chosen.length === 1 || chance <= first.posterior)) {
    return { chosen: withFallbacks(first, rest), others: right, missed: [] };
  }
  const covering = chosen.map((item) => ({ ...item, posterior: chance }));
  return {
    chosen: first === undefined ? covering : [...covering, first],
    others: judged.slice(0, 8),
    missed,
  };
}
