import { linkOptions, type LinkOptions } from '@tanstack/react-router';
import { explain, type Alarm } from '../alarms/alarms.ts';
import type { CallOutput } from '../api/call.ts';
import { capitalised, plural, shortId, shortUrl } from '../format/format.ts';
import { adviceFor, helpsToRetry } from '../runs/causes.ts';
import { runPlace } from '../runs/run-link.tsx';

type Overview = CallOutput<'getOverview'>;

/** Something that a person has to decide or mend, with the one button that helps. */
export interface Need {
  key: string;
  status: 'failed' | 'attention';
  title: string;
  about?: string | undefined;
  /** Where it is mended. */
  place: LinkOptions;
  /** The word of the link. */
  word: string;
  /** The runs that it is about, the latest first. */
  runs?: readonly string[];
  /** Runs whose pages of one cause run again. */
  retry?: { cause: string; runs: readonly string[]; count: number };
}

interface Held {
  id: string;
  name: string | null;
  held: number;
}

type Caller = Pick<
  CallOutput<'listWebhooks'>['webhooks'][number],
  'id' | 'url' | 'enabled' | 'disabled_reason' | 'paused_until'
>;

/** What was read of the account. */
export interface Found {
  alarms: readonly Alarm[];
  held: readonly Held[];
  causes: Overview['causes'];
  paused: Overview['paused'];
  webhooks: readonly Caller[];
  /** How many days the balance lasts at the present pace; undefined when nothing is used. */
  daysLeft: number | undefined;
  alerts: readonly { id: string; name: string; enabled: boolean; disabled_reason: string | null }[];
}

function needsOfAlarms(alarms: readonly Alarm[]): Need[] {
  return [...Map.groupBy(alarms, ({ parser }) => parser.id)].map(([parserId, own]) => ({
    key: parserId,
    status: own.some(({ state }) => state === 'broken') ? 'failed' : 'attention',
    title: `${own[0]?.parser.name ?? 'A parser'} no longer reads what it did`,
    about: explain(own).replaceAll('\n', '; '),
    place: linkOptions({ to: '/parsers/$parserId/health', params: { parserId } }),
    word: 'See what changed',
  }));
}

function needOfHeld({ id, name, held }: Held): Need {
  return {
    key: `held ${id}`,
    status: 'attention',
    title: `${plural(held, 'row waits', 'rows wait')} for you to write or drop ${held === 1 ? 'it' : 'them'}`,
    about: name ?? shortId(id),
    place: runPlace(id, 'held') ?? linkOptions({ to: '/runs', search: { status: 'held' } }),
    word: 'Decide',
  };
}

function needOfFailure({ cause, error, count, runs, jobs, example }: Overview['causes'][number]): Need {
  const [latest] = runs;
  const place = latest === undefined ? undefined : runPlace(latest, 'failures');
  const why = example.detail ?? shortUrl(example.url);
  return {
    key: `cause ${cause}`,
    status: 'failed',
    title: `${capitalised(error)}: ${plural(count, 'page')}${jobs > 0 ? `, ${plural(jobs, 'job')} among them` : ''}`,
    about: `${capitalised(why)}. ${adviceFor({ ...example, error })}`,
    place: place ?? linkOptions({ to: '/runs', search: { kind: 'job', status: 'failed' } }),
    word: 'See why',
    runs,
    ...(runs.length > 0 &&
      helpsToRetry({ ...example, error }) && { retry: { cause, runs, count: count - jobs } }),
  };
}

function needsOfWebhooks(webhooks: readonly Caller[]): Need[] {
  return webhooks.flatMap(({ id, url, enabled, disabled_reason: reason, paused_until: until }) => {
    const isOff = !enabled && reason !== null;
    if (!isOff && (until === null || !enabled)) return [];
    return [
      {
        key: id,
        status: isOff ? 'failed' : 'attention',
        title: `Calls to ${shortUrl(url)} fail`,
        about: isOff ? `Turned off: ${reason}` : 'Gleaner tries again by itself, ever more rarely.',
        place: linkOptions({ to: '/webhooks', search: { status: 'failed' } }),
        word: 'See the calls',
      },
    ];
  });
}

/** A balance that lasts less than this many days needs a person. */
const FEW_DAYS = 7;

function needsOfCredits(daysLeft: number | undefined): Need[] {
  if (daysLeft === undefined || daysLeft >= FEW_DAYS) return [];
  const about = daysLeft < 1 ? 'less than a day' : `about ${plural(Math.floor(daysLeft), 'day')}`;
  return [
    {
      key: 'credits',
      status: 'attention',
      title: `The credits last ${about} (estimated)`,
      about: 'Without credits runs pause, and their crons with them.',
      place: linkOptions({ to: '/credits' }),
      word: 'See the use',
    },
  ];
}

/** What needs a person, the worst first. */
export function needsOf({ alarms, held, causes, paused, webhooks, alerts, daysLeft }: Found): Need[] {
  return [
    ...needsOfAlarms(alarms),
    ...held.map(needOfHeld),
    ...paused.map(({ id, name, reason }): Need => ({
      key: id,
      status: 'failed',
      title: `${name} paused itself`,
      about: capitalised(reason),
      place: linkOptions({ to: '/crons/$cronId', params: { cronId: id } }),
      word: 'Mend and resume',
    })),
    ...causes.map(needOfFailure),
    ...needsOfCredits(daysLeft),
    ...needsOfWebhooks(webhooks),
    ...alerts
      .filter(({ enabled, disabled_reason: reason }) => !enabled && reason !== null)
      .map(({ id, name, disabled_reason: reason }): Need => ({
        key: id,
        status: 'failed',
        title: `The alert ${name} is turned off`,
        about: capitalised(reason ?? ''),
        place: linkOptions({ to: '/alerts' }),
        word: 'See the alert',
      })),
  ];
}
