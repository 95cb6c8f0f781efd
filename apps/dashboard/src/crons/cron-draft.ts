import type { ScrapeConfig } from '@gleaner/client';
import { isObject, parseExactJson, type Overlap } from '@gleaner/contracts/values';
import type { CallInput, CallOutput } from '../api/call.ts';
import { linesOf } from '../format/format.ts';
import { choiceOfSink, lackOfSink, NO_SINK, sinkOfChoice, withoutChoice } from '../targets/sink.ts';
import { choiceOfSource, lackOfSource, NO_SOURCE, sourceOfChoice } from '../targets/source.ts';
import type { Every } from './every.ts';
import { sentenceOf } from './words.ts';
import { keyOfTarget, targetOfKey } from '../targets/target.ts';

type Cron = CallOutput<'getCron'>;
export type CronBody = CallInput<'createCron'>['body'];

/** A new cron as the form holds it. */
export function newCronDraft(target: string | null, inputs: string) {
  return {
    name: '',
    target,
    /** One page, or one JSON object of an API's parameters, on each line. */
    inputs,
    /** In place of the inputs. */
    source: NO_SOURCE,
    schedule: '0 6 * * *',
    /** A distance that was typed and refused after the schedule was set. */
    refused: undefined as Every | undefined,
    zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    sink: NO_SINK,
    overlap: 'skip' as Overlap,
    /** Empty: no limit. */
    maxCredits: '' as number | '',
    /** Empty while it is typed. */
    pauseAfter: 10 as number | '',
    keepPages: 'failed',
    /** What differs from the parser's own settings. */
    config: {} as ScrapeConfig,
  };
}

/** An input of a batch as a line of the form. @param input parameters of an API, or the values that a page's task keeps */
export function lineOfInput(
  { url, input }: { url: string; input?: object | undefined },
  isApi: boolean,
): string {
  if (input === undefined) return url;
  return JSON.stringify(isApi ? input : { url, ...input });
}

export type CronDraft = ReturnType<typeof newCronDraft>;

export function draftOfCron(cron: Cron): CronDraft {
  const inputs = cron.url === null ? (cron.inputs ?? []) : [cron.url];
  return {
    name: cron.name,
    target: keyOfTarget(cron.target),
    inputs: inputs.map((input) => (typeof input === 'string' ? input : JSON.stringify(input))).join('\n'),
    source: choiceOfSource(cron.source, cron.since),
    schedule: cron.schedule,
    refused: undefined,
    zone: cron.timezone,
    sink: choiceOfSink(cron.sink),
    overlap: cron.overlap,
    maxCredits: cron.max_credits ?? '',
    pauseAfter: cron.pause_after_failures,
    keepPages: cron.keep_pages ?? 'failed',
    config: cron.scrape_config,
  };
}

/** The missing part of the form, in words; undefined when the form is complete. */
export function lackOf(draft: CronDraft): string | undefined {
  if (draft.name.trim() === '') return 'Give the cron a name.';
  if (draft.target === null) return 'Choose what to run.';
  const sinkLack = draft.target.startsWith('workflow:') ? undefined : lackOfSink(draft.sink);
  if (sinkLack !== undefined) return sinkLack;
  if (draft.refused !== undefined || sentenceOf(draft.schedule) === undefined) return 'Correct the schedule.';
  if (draft.pauseAfter === '') return 'Enter the number of failures after which it pauses.';
  if (draft.source.from !== 'list') return lackOfSource(draft.source);
  const lines = linesOf(draft.inputs);
  if (lines.length === 0) return 'Paste at least one address.';
  if (!draft.target.startsWith('api:')) return undefined;
  const bad = lines.findIndex((line) => readObject(line) === undefined);
  return bad === -1 ? undefined : `Line ${bad + 1} of the inputs is not a JSON object.`;
}

function readObject(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = parseExactJson(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The body for the service. Fields that the form doesn't show stay unchanged.
 * @param cron the cron that is changed, if there is one
 */
export function bodyOf(draft: CronDraft, cron?: Cron): CronBody {
  const target = targetOfKey(draft.target);
  const sink = sinkOfChoice(draft.sink);
  if (target === undefined) throw new Error('nothing is chosen');
  const isSame = cron !== undefined && keyOfTarget(cron.target) === draft.target;
  const lines = linesOf(draft.inputs);
  const inputs = lines.map((line) => readObject(line) ?? line);
  const keepsValues = target.type !== 'api' && draft.source.from === 'list' && inputs.some(isObject);
  const { on_drift: _, ...known } = cron?.sink?.mode === 'database' ? withoutChoice(cron.sink) : {};
  return {
    name: draft.name.trim(),
    description: cron?.description ?? '',
    target: isSame ? cron.target : target,
    ...(sourceOfChoice(draft.source, true) ?? {
      inputs,
    }),
    ...(keepsValues ? { carry: cron?.carry ?? true } : {}),
    ...(cron?.since == null || draft.source.isNewOnly ? {} : { since: null }),
    schedule: draft.schedule.trim(),
    timezone: draft.zone,
    ...(sink === undefined || target.type === 'workflow' ? {} : { sink: { ...known, ...sink } }),
    ...(target.type === 'parser' ? { keep_pages: draft.keepPages, scrape_config: draft.config } : {}),
    overlap: draft.overlap,
    ...(draft.pauseAfter === '' ? {} : { pause_after_failures: draft.pauseAfter }),
    ...(draft.maxCredits === '' ? {} : { max_credits: draft.maxCredits }),
  };
}
