import { ActionIcon, Menu, Tooltip, useMantineColorScheme, type MantineColorScheme } from '@mantine/core';
import { useDisclosure, useWindowEvent } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { sayBroken, useAlarms } from '../alarms/alarms.ts';
import { call, operationQuery, sessionQuery } from '../api/call.ts';
import { formatNumber } from '../format/format.ts';
import {
  IconBook,
  IconDeviceDesktop,
  IconLogout,
  IconMenu2,
  IconMoon,
  IconSearch,
  IconSun,
} from '../parts/icons.ts';
import styles from './frame.module.css';
import { AwayBanner } from './away-banner.tsx';
import { MOD_KEY } from './mod-key.ts';
import { openPalette, Palette } from './palette.tsx';
import { ACCOUNT, FIRST, PLACES, WORK, type Place } from './places.ts';
import '../parts/frame-styles.ts';

/** Rarely opened, so no page waits for its code. */
const KeysHelp = lazy(async () => ({ default: (await import('./keys-help.tsx')).KeysHelp }));

const GO_MS = 1000;

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.closest('input, textarea, select, [role="dialog"]') !== null)
  );
}

/** Keys that work on every page: `g` and a letter, `/`, `?`, and `j` or `k` to enter the table. */
function useShortcuts(onHelp: () => void): void {
  const router = useRouter();
  const goUntil = useRef(0);
  useWindowEvent('keydown', (event) => {
    const { key, target } = event;
    if (event.metaKey || event.ctrlKey || event.altKey || isTyping(target)) return;
    const place = PLACES.find((one) => one.key === key);
    const isGoing = Date.now() < goUntil.current;
    goUntil.current = key === 'g' ? Date.now() + GO_MS : 0;
    if (isGoing && place) {
      event.preventDefault();
      void router.navigate({ to: place.to });
    } else if (key === '?') onHelp();
    else if (key === '/') {
      const field = document.querySelector<HTMLElement>('main [data-search], main [data-filters] input');
      if (field) event.preventDefault();
      field?.focus();
    } else if ((key === 'j' || key === 'k') && !event.defaultPrevented) {
      const isInTable = target instanceof HTMLElement && target.closest('[role="table"]') !== null;
      if (!isInTable) document.querySelector<HTMLElement>('main [data-table-rows] a')?.focus();
    }
  });
}

/** How many parsers have an alarm, on every page within seconds. */
function AlarmCount() {
  const count = new Set(useAlarms({ isLive: true }).map(({ parser }) => parser.id)).size;
  if (count === 0) return null;
  const about = sayBroken(count);
  return (
    <span className={styles.count} title={about}>
      <span aria-hidden>{formatNumber(count)}</span>
      <span className="visually-hidden">: {about}</span>
    </span>
  );
}

function PlaceLink({ place }: { place: Place }) {
  const Icon = place.icon;
  return (
    <Link
      to={place.to}
      className={styles.item}
      activeOptions={{ exact: place.to === '/', includeSearch: false }}
    >
      <Icon size={16} />
      <span className="grow truncate">{place.label}</span>
      {place.to === '/parsers' && <AlarmCount />}
    </Link>
  );
}

const SCHEMES = [
  { value: 'auto', label: 'System', icon: <IconDeviceDesktop size={14} /> },
  { value: 'light', label: 'Light', icon: <IconSun size={14} /> },
  { value: 'dark', label: 'Dark', icon: <IconMoon size={14} /> },
] satisfies { value: MantineColorScheme; label: string; icon: React.ReactNode }[];

/** Who is signed in, with what belongs to the person: colours and the way out. */
function AccountMenu() {
  const session = useQuery(sessionQuery);
  const credits = useQuery({ ...operationQuery('getCredits', {}), refetchInterval: 30_000 });
  const scheme = useMantineColorScheme();
  const leave = async (): Promise<void> => {
    await call('signOut', {});
    const [{ forgetPages }, { forgetUnsaved }, { forgetTried }] = await Promise.all([
      import('../studio/pages/page-store.ts'),
      import('../studio/work/unsaved.ts'),
      import('../playground/tried.ts'),
    ]);
    forgetUnsaved();
    forgetTried();
    await forgetPages();
    // Reloads the page, so that no data stays in memory.
    location.assign('/sign-in');
  };
  return (
    <Menu position="top-start">
      <Menu.Target>
        <button type="button" className={`${styles.item} ${styles.account}`}>
          <span className="truncate">{session.data?.account.name ?? 'Account'}</span>
          <span className="small">
            {credits.data ? `${formatNumber(credits.data.creditBalance)} credits` : ''}
          </span>
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Colours</Menu.Label>
        {SCHEMES.map(({ value, label, icon }) => (
          <Menu.Item
            key={value}
            leftSection={icon}
            onClick={() => scheme.setColorScheme(value)}
            fw={scheme.colorScheme === value ? 600 : 400}
          >
            {label}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={14} />} onClick={() => void leave()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** The bar of narrow windows, which have no side bar. */
function NarrowBar({ onMenu }: { onMenu: () => void }) {
  return (
    <div className={styles.narrowBar}>
      <ActionIcon aria-label="Menu" onClick={onMenu}>
        <IconMenu2 size={18} />
      </ActionIcon>
      <strong className="grow">Gleaner</strong>
      <ActionIcon aria-label="Search" onClick={openPalette}>
        <IconSearch size={18} />
      </ActionIcon>
    </div>
  );
}

/** Side bar and page. */
export function Frame() {
  const [isSideShown, setSideShown] = useState(false);
  const router = useRouter();
  const main = useRef<HTMLElement>(null);
  const [isHelpShown, help] = useDisclosure(false);
  useShortcuts(help.open);
  useEffect(() => router.subscribe('onResolved', () => setSideShown(false)), [router]);
  return (
    <div className={styles.frame}>
      <a
        href="#main"
        className={styles.skip}
        onClick={(event) => {
          // The address keeps what the page has put there.
          event.preventDefault();
          main.current?.focus();
        }}
      >
        Skip to the content
      </a>
      <NarrowBar onMenu={() => setSideShown(true)} />
      <aside
        className={isSideShown ? `${styles.side} ${styles.shown}` : styles.side}
        onKeyDown={(event) => event.key === 'Escape' && setSideShown(false)}
      >
        <Link to="/" className={styles.brand}>
          <img src="/icon.svg" alt="" />
          Gleaner
        </Link>
        <button type="button" className={`${styles.item} ${styles.search}`} onClick={openPalette}>
          <IconSearch size={14} />
          <span className="grow">Search</span>
          <span className="small">{MOD_KEY} K</span>
        </button>
        <nav aria-label="Pages">
          {FIRST.map((place) => (
            <PlaceLink key={place.to} place={place} />
          ))}
          <hr />
          {WORK.map((place) => (
            <PlaceLink key={place.to} place={place} />
          ))}
          <hr />
          {ACCOUNT.map((place) => (
            <PlaceLink key={place.to} place={place} />
          ))}
          <Tooltip label="Every operation, with a form to try it" position="right">
            <a className={styles.item} href="/docs" target="_blank" rel="noreferrer">
              <IconBook size={16} />
              API reference
            </a>
          </Tooltip>
        </nav>
        <div className="grow" />
        <AccountMenu />
      </aside>
      {isSideShown && (
        <button
          type="button"
          aria-label="Close the menu"
          className={styles.beside}
          onClick={() => setSideShown(false)}
        />
      )}
      <main id="main" ref={main} tabIndex={-1} className={styles.main}>
        <AwayBanner />
        <Outlet />
      </main>
      <Palette onHelp={help.open} />
      {isHelpShown && (
        <Suspense fallback={null}>
          <KeysHelp opened onClose={help.close} />
        </Suspense>
      )}
    </div>
  );
}
