import type { FieldObject } from '@gleaner/contracts';
import { skipToken, useQuery } from '@tanstack/react-query';
import { useMemo, useState, type CSSProperties, type ReactNode } from 'react';
import { memberOf, plural } from '../../format/format.ts';
import { IconChevronDown, IconChevronRight } from '../../parts/icons.ts';
import type { KeptPage } from '../extraction/protocol.ts';
import { isEmptyValue } from '../schema/fill.ts';
import { toFieldName } from '../schema/names.ts';
import type { StudioState } from '../use-studio-state.ts';
import styles from './data-tree.module.css';

const JSON_SCRIPTS = 'script[type="application/json"], script#__NEXT_DATA__, script#__NUXT_DATA__';
const MAX_SCRIPTS = 20;

/** Selectors of the scripts that hold JSON. */
function scriptsOf(page: Document): string[] {
  return [...page.querySelectorAll(JSON_SCRIPTS)]
    .flatMap(({ id }, index) => {
      if (id !== '') return [`script#${CSS.escape(id)}`];
      return index === 0 ? ['script[type="application/json"]'] : [];
    })
    .slice(0, MAX_SCRIPTS);
}

/** The address of a response on any page of the site: its path, with any query. */
function patternOf(address: string): string {
  const { pathname, search } = new URL(address);
  return search === '' ? pathname : `${pathname}?*`;
}

/** Data that a page carries but doesn't show. */
interface Root {
  title: string;
  /** The source of a value at a path in it. */
  sourceOf: (path: string) => FieldObject;
}

function rootsOf(page: KeptPage, document: Document): Root[] {
  const patterns = new Set((page.captures ?? []).map(({ url }) => patternOf(url)));
  return [
    { title: 'The page itself', sourceOf: (path) => ({ json: { path } }) },
    { title: 'JSON-LD', sourceOf: (path) => ({ jsonld: path }) },
    { title: 'Microdata', sourceOf: (path) => ({ microdata: path }) },
    ...scriptsOf(document).map((script): Root => ({
      title: script,
      sourceOf: (path) => ({ json: { script, path } }),
    })),
    ...[...patterns].map((url): Root => ({
      title: `Loaded from ${url}`,
      sourceOf: (path) => ({ xhr: { url, path } }),
    })),
  ];
}

/** The names and contents of the meta elements, each name once. */
function metasOf(page: Document): Map<string, string> {
  const found = new Map<string, string>();
  for (const meta of page.querySelectorAll('meta[content]')) {
    const name = meta.getAttribute('property') ?? meta.getAttribute('name');
    if (name && name !== 'viewport' && !found.has(name)) found.set(name, meta.getAttribute('content') ?? '');
  }
  return found;
}

function typeOf(value: unknown): string | undefined {
  const type = memberOf(value, '@type');
  return typeof type === 'string' ? type : undefined;
}

/**
 * The step of a JSONPath to a member. Elements of the outermost list are picked by their `@type` where they have one of
 * their own: their order differs between pages.
 */
function stepTo(value: object, key: string, isOutermost: boolean): string {
  if (!Array.isArray(value))
    return /^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `['${key.replaceAll(/['\\]/g, String.raw`\$&`)}']`;
  const type = typeOf(value[Number(key)]);
  const isSole = value.filter((one) => typeOf(one) === type).length === 1;
  return isOutermost && type !== undefined && isSole
    ? `[?@['@type'] == '${type.replaceAll("'", String.raw`\'`)}']`
    : `[${key}]`;
}

/** The type of a field that reads such a value; texts need none. */
function typeFor(value: unknown): FieldObject {
  if (typeof value === 'number') return { type: Number.isInteger(value) ? 'integer' : 'number' };
  if (typeof value === 'boolean') return { type: 'boolean' };
  return typeof value === 'object' && value !== null ? { type: 'json' } : {};
}

function preview(value: unknown): string {
  if (Array.isArray(value)) return plural(value.length, 'entry', 'entries');
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return typeOf(value) ?? plural(Object.keys(value).length, 'member');
}

interface LineProps {
  label: string;
  text: string;
  depth?: number;
  title?: string;
  toggle?: ReactNode;
  onTake: () => void;
}

function Line({ label, text, depth, title, toggle, onTake }: LineProps) {
  return (
    <div className={styles.line} style={{ '--depth': depth } as CSSProperties}>
      {toggle ?? <span className={styles.toggle} />}
      <button type="button" className={styles.value} onClick={onTake} title={title}>
        <span>{label}</span>
        <span className="soft truncate">{text}</span>
      </button>
    </div>
  );
}

interface NodeProps {
  label: string;
  /** The nearest member's. */
  name: string;
  path: string;
  value: unknown;
  depth: number;
  onTake: (name: string, path: string, value: unknown) => void;
}

const MAX_SHOWN = 200;

function TreeNode({ label, name, path, value, depth, onTake }: NodeProps) {
  const branch = typeof value === 'object' ? value : null;
  const [isOpen, setOpen] = useState(depth < 2);
  const entries = branch && isOpen ? Object.entries(branch).slice(0, MAX_SHOWN) : [];
  return (
    <li>
      <Line
        label={label}
        text={preview(value)}
        depth={depth}
        title="Add a field for it"
        toggle={
          branch && (
            <button
              type="button"
              className={styles.toggle}
              aria-expanded={isOpen}
              aria-label={`${isOpen ? 'Close' : 'Open'} ${label}`}
              onClick={() => setOpen(!isOpen)}
            >
              {isOpen ? <IconChevronDown size={12} /> : <IconChevronRight size={12} />}
            </button>
          )
        }
        onTake={() => onTake(name, path, value)}
      />
      {branch && entries.length > 0 && (
        <ul>
          {entries.map(([key, inner]) => (
            <TreeNode
              key={key}
              label={key}
              name={Array.isArray(branch) ? name : key}
              path={path + stepTo(branch, key, depth === 0)}
              value={inner}
              depth={depth + 1}
              onTake={onTake}
            />
          ))}
        </ul>
      )}
    </li>
  );
}

/** Data that the page contains but doesn't show, read in the browser: click a value to make a field of it. */
export function DataTree({ studio, page }: { studio: StudioState; page: KeptPage }) {
  const { extractor, document, addField } = studio;
  const roots = useMemo(() => (document ? rootsOf(page, document) : []), [page, document]);
  const metas = useMemo(() => [...(document ? metasOf(document) : [])], [document]);
  const sources = roots.map(({ sourceOf }) => sourceOf('$'));
  const { data: values } = useQuery({
    queryKey: ['page-data', page.id],
    queryFn: document ? () => extractor.ask('readData', page.id, sources) : skipToken,
    staleTime: Infinity,
  });
  if (!values) return <p className="state inset soft">Reading the data of the page …</p>;
  const filled = roots
    .map((root, index) => ({ ...root, value: values[index] }))
    .filter(({ value }) => !isEmptyValue(value));
  if (filled.length === 0 && metas.length === 0) {
    return (
      <p className="state inset soft">
        This page has no JSON-LD, microdata, embedded JSON or meta tags. Pages that are fetched in a browser
        show the JSON that they loaded, too.
      </p>
    );
  }
  const take = (text: string, field: FieldObject) => addField(toFieldName(text) ?? 'field', field);
  return (
    <div className={styles.tree}>
      {filled.map(({ title, value, sourceOf }) => (
        <section key={title}>
          <h3>{title}</h3>
          <ul>
            <TreeNode
              label="$"
              name="data"
              path="$"
              value={value}
              depth={0}
              onTake={(name, path, taken) => take(name, { ...sourceOf(path), ...typeFor(taken) })}
            />
          </ul>
        </section>
      ))}
      {metas.length > 0 && (
        <section>
          <h3>Meta</h3>
          <ul>
            {metas.map(([name, content]) => (
              <li key={name}>
                <Line label={name} text={content} onTake={() => take(name, { meta: name })} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}
