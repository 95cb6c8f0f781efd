import { compileParser, extract, proposeRepair, type Examples, type RepairPage } from '@gleaner/extractors';
import { brittle } from './suggest/brittle.ts';
import { agrees, learn } from './suggest/measure.ts';
import { mutate } from './suggest/mutate.ts';
import { readKnownSites, type KnownSite } from './suggest/sites.ts';
import { syntheticSites } from './suggest/synthetic.ts';

/** Earlier values; every fourth is another page's, as values change in the meantime. */
function earlierOf(site: KnownSite, data: readonly Record<string, unknown>[], index: number): Examples {
  return Object.fromEntries(
    Object.entries(data[index] ?? {}).flatMap(([name, value], position) => {
      const isChanged = (index + position) % 4 === 3;
      const given = isChanged ? data[(index + 1) % site.pages.length]?.[name] : value;
      return typeof given === 'string' ? [[name, given]] : [];
    }),
  );
}

interface Tally {
  fields: number;
  repaired: number;
  lost: number;
  right: number;
  wrong: number;
  nothing: number;
}

const ROUNDS = 4;
const EARLIER_PAGES = 5;

function repairSite(site: KnownSite, tally: Tally): void {
  const { schema } = learn(site.pages.slice(0, 2));
  if (schema === null) return;
  const old = brittle(schema);
  const parser = compileParser(old);
  const data = site.pages.map(({ html }) => {
    const extraction = extract(parser, { body: html });
    return extraction.ok ? extraction.data : {};
  });
  for (let round = 0; round < ROUNDS; round += 1) {
    const changed = site.pages.map(({ html }) => mutate(html, round));
    const pages = changed
      .slice(0, EARLIER_PAGES)
      .map((body, index): RepairPage => ({ body, earlier: earlierOf(site, data, index) }));
    const proposal = proposeRepair(old, pages);
    const broken = proposal.fields.filter(({ state }) => state !== 'kept');
    tally.fields += broken.length;
    tally.lost += broken.filter(({ state }) => state === 'lost').length;
    const repaired = broken.filter(({ state }) => state === 'repaired');
    tally.repaired += repaired.length;
    if (proposal.schema === null || repaired.length === 0) continue;
    const mended = compileParser(proposal.schema);
    for (const [index, page] of site.pages.entries()) {
      if (index < EARLIER_PAGES) continue;
      const extraction = extract(mended, { body: changed[index] ?? '' });
      for (const { path } of repaired) {
        const truth = page.truth[path] ?? [];
        const value = extraction.ok ? extraction.data[path] : null;
        if (value === null || value === undefined) {
          if (truth.length > 0) tally.nothing += 1;
        } else if (agrees(value, truth)) tally.right += 1;
        else tally.wrong += 1;
      }
    }
  }
}

/** Parsers that a change of the template broke, repaired from their earlier rows: are the values of new pages right? */
export function run(): Promise<void> {
  const tally: Tally = { fields: 0, repaired: 0, lost: 0, right: 0, wrong: 0, nothing: 0 };
  for (const site of [...readKnownSites(), ...syntheticSites()]) repairSite(site, tally);
  const precision = tally.right / Math.max(1, tally.right + tally.wrong);
  const recall = tally.right / Math.max(1, tally.right + tally.wrong + tally.nothing);
  console.log(
    `${tally.fields} broken fields, ${tally.repaired} repaired, ${tally.lost} without a proposal; on pages not learned from: precision ${precision.toFixed(4)}, recall ${recall.toFixed(4)}`,
  );
  const met = precision >= 0.8 && tally.repaired > 0;
  console.log(
    JSON.stringify({
      bench: 'repair',
      ...tally,
      precision: Number(precision.toFixed(4)),
      recall: Number(recall.toFixed(4)),
      met,
    }),
  );
  if (!met) process.exitCode = 1;
  return Promise.resolve();
}
