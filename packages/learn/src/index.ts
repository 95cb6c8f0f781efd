/** Learns parsers of pages: what a page holds, a schema for it, and the repair of a schema that broke. */
export { outlinePage, type PageOutline } from './outline/outline-page.ts';
export { proposeRepair, type FieldRepair, type RepairPage, type RepairProposal } from './suggest/repair.ts';
export { suggestSchema } from './suggest/suggest.ts';
export type {
  Alternative,
  ExampleValue,
  Examples,
  FieldSuggestion,
  Suggestion,
  SuggestPage,
} from './suggest/types.ts';
