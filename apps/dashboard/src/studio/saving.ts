import type { CallOutput } from '../api/call.ts';
import { shortHost } from '../format/format.ts';

export type ParserRecord = CallOutput<'getParser'>;
type ParserState = Pick<ParserRecord, 'schema' | 'scrape_config'>;

/** Somebody saved other fields since the work began: saving it would undo that without a word. */
export class SavedMeanwhile extends Error {
  override readonly name = 'SavedMeanwhile';
  readonly current: ParserRecord;
  constructor(current: ParserRecord) {
    super(`v${current.version} was saved meanwhile.`);
    this.current = current;
  }
}

/** Whether two states of a parser read or fetch pages differently. */
export function isOther(base: ParserState, current: ParserState): boolean {
  const textOf = ({ schema, scrape_config: config }: ParserState): string => JSON.stringify([schema, config]);
  return textOf(base) !== textOf(current);
}

interface SavingInput {
  record: Pick<ParserRecord, 'name' | 'version'> | undefined;
  name: string;
  fieldCount: number;
  faultCount: number;
  isSchemaChanged: boolean;
  /** How its pages are fetched differs from what is saved. */
  isConfigChanged: boolean;
  save: { isPending: boolean; isSuccess: boolean };
}

/** What saving would do now. */
export function savingOf(input: SavingInput) {
  const { record, name, fieldCount, faultCount, isSchemaChanged, isConfigChanged, save } = input;
  const isWorkChanged = isSchemaChanged || isConfigChanged;
  /** Something differs from what is saved. */
  const isChanged = isWorkChanged || (record !== undefined && name !== record.name);
  return {
    isChanged,
    /** There is something that leaving the page would lose. */
    isUnsaved: isChanged && fieldCount > 0,
    /** The schema and the fetch settings are kept in this browser until they are saved. */
    isDraftKept: isWorkChanged && (record !== undefined || (fieldCount > 0 && !save.isSuccess)),
    canSave: fieldCount > 0 && faultCount === 0 && isChanged && !save.isPending,
    label: record && isSchemaChanged ? `Save v${record.version + 1}` : 'Save',
  };
}

/**
 * The name under which a parser is saved: the typed one, or that of the page or its site.
 * @param page the title is '' when the page has none
 */
export function parserName(typed: string, page: { title: string; url: string } | undefined): string {
  return typed.trim() || page?.title || shortHost(page?.url ?? '') || 'new parser';
}

/** The name, or the next one that none of these has: `kettles 2`. */
export function nameApart(name: string, taken: readonly string[]): string {
  for (let number = 1; ; number += 1) {
    const next = number === 1 ? name : `${name} ${number}`;
    if (!taken.includes(next)) return next;
  }
}
