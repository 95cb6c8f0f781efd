import { f1, measureSite, type Miss, type Stated, type Tally } from './suggest/measure.ts';
import { mutate } from './suggest/mutate.ts';
import { measureSamples } from './suggest/samples.ts';
import { readKnownSites, type KnownPage, type KnownSite } from './suggest/sites.ts';
import { measureSpeed } from './suggest/speed.ts';
import { syntheticSites } from './suggest/synthetic.ts';

interface Figures {
  precision: number;
  recall: number;
  macroF1: number;
  /** How many fields have a stated confidence of 0.9 or more, and the share of right values among theirs. */
  sure: number;
  fields: number;
  surePrecision: number;
}

function figuresOf(tallies: readonly Tally[], stated: readonly Stated[]): Figures {
  const sum = { right: 0, wrong: 0, missing: 0 };
  for (const tally of tallies) {
    sum.right += tally.right;
    sum.wrong += tally.wrong;
    sum.missing += tally.missing;
  }
  const sure = stated.filter(({ confidence }) => confidence >= 0.9);
  const given = sure.reduce((total, claim) => total + claim.given, 0);
  return {
    precision: sum.right / Math.max(1, sum.right + sum.wrong),
    recall: sum.right / Math.max(1, sum.right + sum.missing),
    macroF1: tallies.reduce((total, tally) => total + f1(tally), 0) / Math.max(1, tallies.length),
    sure: sure.length,
    fields: stated.length,
    surePrecision: given === 0 ? 1 : sure.reduce((total, claim) => total + claim.right, 0) / given,
  };
}

function report(
  what: string,
  sites: readonly KnownSite[],
  k: number,
  isMutated: boolean,
  verbose: boolean,
): Figures {
  const tallies: Tally[] = [];
  const stated: Stated[] = [];
  const misses: Miss[] = [];
  for (const site of sites) {
    const change = ({ html }: KnownPage, round: number): string => (isMutated ? mutate(html, round) : html);
    const result = measureSite(site, k, change);
    if (verbose) {
      const fields = [...result.tallies]
        .map(([field, tally]) => `${field} ${f1(tally).toFixed(2)}`)
        .join('  ');
      console.log(`  ${site.name.padEnd(20)} ${result.ms.toFixed(0).padStart(5)} ms  ${fields}`);
    }
    tallies.push(...result.tallies.values());
    stated.push(...result.stated);
    misses.push(...result.misses);
  }
  const figures = figuresOf(tallies, stated);
  console.log(
    `${what.padEnd(22)} k=${k}  precision ${figures.precision.toFixed(4)}  recall ${figures.recall.toFixed(4)}  macro F1 ${figures.macroF1.toFixed(4)}  ` +
      `confidence >= 0.9: ${figures.sure} of ${figures.fields} fields, precision ${figures.surePrecision.toFixed(4)}`,
  );
  if (verbose) for (const miss of misses.slice(0, 40)) console.log(`  ${JSON.stringify(miss).slice(0, 260)}`);
  return figures;
}

/**
 * Suggested schemas from 1, 2 and 3 pages of a site on its other pages: eight real sites and made ones, as they
 * are and with their templates changed. Arguments: `--verbose`, `--only=NAME`, `--k=1`.
 */
export function run(args: string[]): Promise<void> {
  const verbose = args.includes('--verbose');
  const only = args.find((arg) => arg.startsWith('--only='))?.slice('--only='.length) ?? '';
  const ks = args.flatMap((arg) => (arg.startsWith('--k=') ? [Number(arg.slice(4))] : []));
  const counts = ks.length > 0 ? ks : [1, 2, 3];
  const wanted = ({ name }: KnownSite): boolean => name.includes(only);
  const real = readKnownSites().filter(wanted);
  const made = syntheticSites().filter(wanted);
  const results: Record<string, Figures> = {};
  for (const k of counts) {
    if (real.length > 0) results[`real${k}`] = report('real sites', real, k, false, verbose);
    if (made.length > 0) results[`made${k}`] = report('made sites', made, k, false, verbose);
    if (real.length > 0) results[`realChanged${k}`] = report('real sites, changed', real, k, true, verbose);
    if (made.length > 0) results[`madeChanged${k}`] = report('made sites, changed', made, k, true, verbose);
  }
  const samples = measureSamples();
  console.log(
    `recorded pages, each by itself: ${samples.given} of ${samples.examples} known values given, ${samples.pages} pages`,
  );
  const cpuMs = measureSpeed();
  console.log(`five pages of 500 KB: ${cpuMs.toFixed(0)} ms of CPU`);
  const atLeast = (name: string, least: number): boolean => (results[name]?.macroF1 ?? 1) >= least;
  const holds = (k: number): boolean =>
    (results[`realChanged${k}`]?.macroF1 ?? 1) >= 0.8 * (results[`real${k}`]?.macroF1 ?? 0);
  const sure = counts.every((k) => (results[`real${k}`]?.surePrecision ?? 1) >= 0.97);
  const met =
    atLeast('real1', 0.97) && atLeast('real2', 0.99) && counts.every(holds) && sure && cpuMs < 2_000;
  console.log(JSON.stringify({ bench: 'suggest', results, samples, cpuMs: Math.round(cpuMs), met }));
  if (!met && only === '') process.exitCode = 1;
  return Promise.resolve();
}
