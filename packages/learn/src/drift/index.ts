/** Tells from the pages that a parser reads whether their site has changed. */
export {
  addDelta,
  brokenFields,
  emptyStats,
  isCalm,
  isFieldBroken,
  stateOf,
  testedCount,
} from './add-delta.ts';
export { missingRate, thresholdOf } from './drift-test.ts';
export * from './health-stats.ts';
export { judgePage, makeDeltas, type PageSeen } from './judge-page.ts';
export { isStructureChanged } from './structure.ts';
export { usualValues } from './value-profile.ts';
