import { f1, measureSite, type Miss, type Stated, type Tally } from './suggest/measure.ts';
import { readKnownSites } from './suggest/sites.ts';

interface Figures {
  precision: number;
  recall: number;
  macroF1: number;
}

function figuresOf(tallies: readonly Tally[]): Figures {
  const sum = { right: 0, wrong: 0, missing: 0 };
  for (const tally of tallies) {
    sum.right += tally.right;
    sum.wrong += tally.wrong;
    sum.missing += tally.missing;
  }
  return {
    precision: sum.right / Math.max(1, sum.right + sum.wrong),
    recall: sum.right / Math.max(1, sum.right + sum.missing),
    macroF1: tallies.reduce((total, tally) => total + f1(tally), 0) / Math.max(1, tallies.length),
  };
}

export async function run(args: string[]): Promise<void> {
  const verbose = args.includes('--verbose');
  const only = args.find((arg) => !arg.startsWith('--'));
  const sites = readKnownSites().filter(({ name }) => only === undefined || name.includes(only));
  for (const k of [1, 2, 3]) {
    const tallies: Tally[] = [];
    const stated: Stated[] = [];
    const misses: Miss[] = [];
    let ms = 0;
    for (const site of sites) {
      const result = measureSite(site, k, ({ html }) => html);
      const figures = figuresOf([...result.tallies.values()]);
      if (verbose) {
        const fields = [...result.tallies].map(([field, tally]) => `${field} ${f1(tally).toFixed(3)}`).join('  ');
        console.log(`k=${k} ${site.name.padEnd(20)} ${figures.macroF1.toFixed(3)} ${result.ms.toFixed(0)} ms  ${fields}`);
      }
      tallies.push(...result.tallies.values());
      stated.push(...result.stated);
      misses.push(...result.misses);
      ms = Math.max(ms, result.ms);
    }
    const figures = figuresOf(tallies);
    const sure = stated.filter(({ confidence }) => confidence >= 0.9);
    const given = sure.reduce((sum, claim) => sum + claim.given, 0);
    const right = sure.reduce((sum, claim) => sum + claim.right, 0);
    console.log(
      `k=${k} precision ${figures.precision.toFixed(4)} recall ${figures.recall.toFixed(4)} macro F1 ${figures.macroF1.toFixed(4)}, at confidence >= 0.9: ${sure.length}/${stated.length} precision ${(right / Math.max(1, given)).toFixed(4)}, slowest ${ms.toFixed(0)} ms`,
    );
    if (verbose) for (const miss of misses.slice(0, 60)) console.log(JSON.stringify(miss));
  }
}
