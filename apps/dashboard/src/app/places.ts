import type { LinkProps } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import {
  IconApi,
  IconBell,
  IconCalendarClock,
  IconCircleCheck,
  IconCoins,
  IconDatabase,
  IconFileCode,
  IconHierarchy2,
  IconKey,
  IconPlayerPlay,
  IconShield,
  IconSitemap,
  IconWand,
  IconWebhook,
} from '../parts/icons.ts';

export interface Place {
  to: NonNullable<LinkProps['to']>;
  label: string;
  /** The page's content in a few words, for the palette. */
  about: string;
  icon: ComponentType<{ size?: number }>;
  /** The second key after `g`. */
  key: string;
}

/** The pages that the side bar and the palette lead to. A new area is a line here and a route in router.tsx. */
export const FIRST: readonly Place[] = [
  { to: '/', label: 'Today', about: 'How things stand', icon: IconCircleCheck, key: 'h' },
  {
    to: '/try',
    label: 'Try a page',
    about: 'Text, picture and data of one address',
    icon: IconWand,
    key: 't',
  },
];
/** Pages of the parts that make a collection. */
export const WORK: readonly Place[] = [
  { to: '/parsers', label: 'Parsers', about: 'What to read from pages', icon: IconFileCode, key: 'p' },
  {
    to: '/runs',
    label: 'Runs',
    about: 'Jobs, batches and runs of workflows',
    icon: IconPlayerPlay,
    key: 'r',
  },
  { to: '/crawls', label: 'Crawls', about: 'Sites, read by their links', icon: IconSitemap, key: 'l' },
  { to: '/crons', label: 'Crons', about: 'Runs on a schedule', icon: IconCalendarClock, key: 's' },
  {
    to: '/workflows',
    label: 'Workflows',
    about: 'Stages that feed each other',
    icon: IconHierarchy2,
    key: 'f',
  },
  { to: '/databases', label: 'Databases', about: 'Tables of collected rows', icon: IconDatabase, key: 'd' },
  { to: '/apis', label: 'APIs', about: 'Ready-made APIs for well-known sites', icon: IconApi, key: 'a' },
];
export const ACCOUNT: readonly Place[] = [
  { to: '/credits', label: 'Credits', about: 'Balance and ledger', icon: IconCoins, key: 'c' },
  { to: '/keys', label: 'Keys', about: 'How programs sign in', icon: IconKey, key: 'k' },
  { to: '/alerts', label: 'Alerts', about: 'Messages when something fails', icon: IconBell, key: 'e' },
  { to: '/webhooks', label: 'Webhooks', about: 'Calls to your server', icon: IconWebhook, key: 'w' },
  {
    to: '/operator',
    label: 'Operator',
    about: 'Health, accounts and queues of the installation',
    icon: IconShield,
    key: 'o',
  },
];
export const PLACES: readonly Place[] = [...FIRST, ...WORK, ...ACCOUNT];
