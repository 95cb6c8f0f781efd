import type { ScrapeConfig } from '@gleaner/client';
import { plural } from '../format/format.ts';
import { keyOfSearch, type TargetSearch } from '../targets/search.ts';
import { lackOfSink, NO_SINK, sinkOfChoice, tableNameOf } from '../targets/sink.ts';
import { lackOfSource, NO_SOURCE } from '../targets/source.ts';
import { targetOfKey } from '../targets/target.ts';

/** A new batch as the form holds it, beside its inputs. */
export function newRunDraft(search: TargetSearch) {
  return {
    target: keyOfSearch(search),
    name: '',
    source: NO_SOURCE,
    sink: { ...NO_SINK, database: search.database ?? null },
    /** What differs from the parser's own settings. */
    config: {} as ScrapeConfig,
    /** Empty: no limit. */
    maxCredits: '' as number | '',
    keepPages: 'failed',
    dedupe: true,
    /** Columns of the inputs to keep. */
    carry: [] as string[],
  };
}

export type RunDraft = ReturnType<typeof newRunDraft>;

export function isApiTarget(target: string | null): boolean {
  return target?.startsWith('api:') === true;
}

/** The missing part of the form, in words; undefined when the form is complete. */
export function lackOf({ target, sink, source }: RunDraft, hasInputs: boolean): string | undefined {
  if (target === null) return 'Choose what to run.';
  const lack = lackOfSource(source);
  if (lack !== undefined) return lack;
  if (source.from === 'list' && !hasInputs)
    return `Paste ${isApiTarget(target) ? 'inputs' : 'addresses'} first.`;
  return sink.database === null ? undefined : lackOfSink(sink);
}

/** Why a list with refused lines does not run: the service takes all of it or nothing. */
export function lackOfLines(refused: number): string | undefined {
  if (refused === 0) return undefined;
  const them = refused === 1 ? 'it' : 'them';
  return `${plural(refused, 'line is', 'lines are')} refused: correct ${them} or leave ${them} out.`;
}

/** Columns for values of the inputs: named like them, as far as that is the name of a column that the parser leaves free. */
export function carryOf(names: readonly string[], fields: readonly string[]): Record<string, string> {
  const taken = new Set(fields);
  return Object.fromEntries(
    names.map((name) => {
      const plain = tableNameOf(name);
      let column = taken.has(plain) ? `input_${plain}` : plain;
      while (taken.has(column)) column = `${column}_`;
      taken.add(column);
      return [column, name];
    }),
  );
}

/**
 * The fields of the upload, beside its inputs. Prebuilt APIs choose their own way to fetch.
 * @param fields of the parser
 */
export function uploadFieldsOf(draft: RunDraft, fields: readonly string[] = []) {
  const target = targetOfKey(draft.target);
  if (target === undefined || target.type === 'workflow') throw new Error('nothing is chosen');
  const shared = {
    target,
    name: draft.name.trim() === '' ? undefined : draft.name.trim(),
    sink: sinkOfChoice(draft.sink),
    dedupe: draft.dedupe,
    max_credits: draft.maxCredits === '' ? undefined : draft.maxCredits,
  };
  if (target.type === 'api') return shared;
  return {
    ...shared,
    keep_pages: draft.keepPages,
    scrape_config: draft.config,
    ...(draft.carry.length === 0 || draft.source.from !== 'list'
      ? {}
      : { carry: carryOf(draft.carry, fields) }),
  };
}
