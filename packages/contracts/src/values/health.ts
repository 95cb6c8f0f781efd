/** How a parser does on a host. */
export const HEALTH_STATES = ['healthy', 'degraded', 'broken'] as const;
export type HealthState = (typeof HEALTH_STATES)[number];

/** Ways in which a field's values are unusual. */
export const ODDITIES = ['shape', 'range', 'repeated'] as const;
export type Oddity = (typeof ODDITIES)[number];

/** Why a field is broken. */
export const FIELD_FAULTS = ['missing', ...ODDITIES] as const;
export type FieldFault = (typeof FIELD_FAULTS)[number];

/** What becomes of a field that is no longer on the pages. */
export const ABSENT_DECISIONS = ['keep', 'drop'] as const;
export type AbsentDecision = (typeof ABSENT_DECISIONS)[number];

/** What the values of a field are, for the ranges and shapes that are learned from them. */
export const VALUE_KINDS = ['text', 'number', 'boolean', 'list'] as const;
export type ValueKind = (typeof VALUE_KINDS)[number];

/** States of rows that are held back because their parser seems broken. */
export const QUARANTINE_STATES = [
  'suspect',
  'held',
  'releasing',
  'released',
  'discarded',
  'reparsed',
] as const;
export type QuarantineState = (typeof QUARANTINE_STATES)[number];

/** What a proposed repair did with a field. */
export const REPAIR_RESULTS = ['kept', 'repaired', 'lost'] as const;
export type RepairResult = (typeof REPAIR_RESULTS)[number];
