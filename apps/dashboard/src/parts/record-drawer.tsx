import '@mantine/core/styles/Drawer.css';
import { Drawer } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState, type ReactNode } from 'react';
import { call } from '../api/call.ts';
import { plural, shortUrl } from '../format/format.ts';
import styles from './record-drawer.module.css';
import { FoldedText } from './folded-text.tsx';
import { Failure, Facts, Loading } from './page.tsx';
import { PlainTable } from './plain-table.tsx';
import { When } from './when.tsx';

type Members = Record<string, unknown>;

const MOST_ITEMS = 200;
/** Characters from which on a text is folded. */
const LONG_TEXT = 1_000;

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isThere(value: unknown): boolean {
  return value !== null && value !== undefined;
}

function Text({ value }: { value: string }) {
  if (value === '') return <span className="soft">–</span>;
  if (!/^https?:\/\//.test(value))
    return <FoldedText text={value} from={LONG_TEXT} className={styles.text} />;
  return (
    <a href={value} target="_blank" rel="noreferrer">
      {value}
    </a>
  );
}

/** The items of a list: those with fields as a table. */
function Items({ name, items }: { name: string; items: readonly unknown[] }) {
  const shown = items.slice(0, MOST_ITEMS);
  const names = [...new Set(shown.flatMap((item) => (isObject(item) ? Object.keys(item) : [])))];
  if (items.length === 0) return <span className="soft">none</span>;
  return (
    <>
      {names.length > 0 ? (
        <PlainTable
          label={name}
          isNarrow
          rows={shown}
          rowKey={(_item, at) => at}
          columns={names.map((header) => ({
            header,
            cell: (item) => <Value name={header} value={isObject(item) ? item[header] : item} />,
          }))}
        />
      ) : (
        <ul className={styles.items}>
          {shown.map((item, at) => (
            <li key={at}>
              <Value name={name} value={item} />
            </li>
          ))}
        </ul>
      )}
      {items.length > shown.length && (
        <p className="soft">and {plural(items.length - shown.length, 'item')} more</p>
      )}
    </>
  );
}

function Value({ name, value }: { name: string; value: unknown }) {
  if (Array.isArray(value)) return <Items name={name} items={value} />;
  if (isObject(value)) return <Members members={value} />;
  return <Text value={typeof value === 'string' ? value : isThere(value) ? JSON.stringify(value) : ''} />;
}

type OwnCell = (name: string, value: unknown) => ReactNode;

function Members({ members, cell }: { members: Members; cell?: OwnCell | undefined }) {
  return (
    <Facts
      facts={Object.entries(members).map(([name, value]) => [
        name,
        cell?.(name, value) ?? <Value name={name} value={value} />,
      ])}
    />
  );
}

/** The page as its run fetched and kept it: its text and its own styles, without scripts and what it would load. */
function KeptPage({ run, url }: { run: string; url: string }) {
  const page = useQuery({
    queryKey: ['keptPage', run, url],
    queryFn: async ({ signal }) => {
      const { pages } = await call('listPages', { query: { run, url, limit: 1 } }, { signal });
      const [kept] = pages;
      return kept === undefined ? null : call('getPage', { params: { id: kept.id } }, { signal });
    },
  });
  if (page.isPending) return <Loading what="the page" lines={3} />;
  if (page.data === undefined) return <Failure error={page.error} onRetry={() => void page.refetch()} />;
  if (page.data === null)
    return (
      <p className="soft">
        The run kept no copy of this page: <code>keep_pages</code> of a run makes it keep all.
      </p>
    );
  return (
    <>
      <p className="soft small">
        As it was fetched <When at={page.data.fetched_at} />, without its pictures and scripts.
      </p>
      <iframe className={styles.kept} title="The page as fetched" sandbox="" srcDoc={page.data.html} />
    </>
  );
}

/** The page that gave a row, and the run that fetched it. */
export function fromOf({ _run_id: run, _url: url }: Members): RecordDrawerProps['from'] {
  return typeof run === 'string' && typeof url === 'string' ? { run, url } : undefined;
}

interface RecordDrawerProps {
  data: unknown;
  from: { run: string; url: string } | undefined;
  onClose: () => void;
  /** Shows what is no value of the page; undefined for what is one. */
  cell?: OwnCell;
  /** Before the values. */
  before?: ReactNode;
  /** Between the values and the page. */
  children?: ReactNode;
}

/** Gives the focus back to what had it: the keys of a table go on from its row. */
function useFocusBack(): void {
  const [before] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      if (before instanceof HTMLElement) before.focus();
    },
    [before],
  );
}

/** All that one page gave: its fields in full, and the page itself. */
export function RecordDrawer({ data, from, onClose, cell, before, children }: RecordDrawerProps) {
  useFocusBack();
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size="lg"
      title={from === undefined ? 'Row' : shortUrl(from.url)}
      classNames={{ title: styles.title ?? '' }}
    >
      <div className="stack loose">
        {before}
        {isObject(data) ? <Members members={data} cell={cell} /> : <Value name="Values" value={data} />}
        {children}
        {from !== undefined && (
          <section aria-label="Page" className="stack tight">
            <h2>Page</h2>
            <Text value={from.url} />
            <KeptPage {...from} />
          </section>
        )}
      </div>
    </Drawer>
  );
}
