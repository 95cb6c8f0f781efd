/** The tests of a run: the patterns of its files, from the project's root. */
interface Tier {
  include: readonly string[];
  exclude?: readonly string[];
}

const ANYWHERE = '{packages/*/src,apps/*/src,test}/**/';
/** One short file for each way into the service, in the first tier though it starts the service. */
const DOORS = 'test/doors/*.test.ts';

/**
 * `unit` needs no service, so turbo keeps its results; `services` needs Postgres or Redis; `system` starts processes of
 * the service or a browser. `npm test` runs the first two, `npm run test:system` the third.
 */
const TIERS = {
  unit: {
    include: [`${ANYWHERE}*.test.ts`],
    exclude: [`${ANYWHERE}*.{db,system}.test.ts`, DOORS],
  },
  services: { include: [`${ANYWHERE}*.db.test.ts`, DOORS] },
  system: { include: [`${ANYWHERE}*.system.test.ts`] },
  all: { include: [`${ANYWHERE}*.test.ts`] },
} satisfies Record<string, Tier>;

export type TierName = keyof typeof TIERS;

/** The environment variable by which vitest.config.ts learns the tier; without it all files count. */
export const TIER_VARIABLE = 'GLEANER_TEST_TIER';

/** @returns the tier that `runVitest` chose for this process */
export function chosenTier(): Tier {
  const name = process.env[TIER_VARIABLE] ?? 'all';
  return TIERS[name as TierName];
}

/** Whether a file's tests need Postgres, and Redis where the machine has it. */
export function needsServices(path: string): boolean {
  return /\.(db|system)\.test\.ts$|[\\/]test[\\/]doors[\\/]/.test(path);
}
