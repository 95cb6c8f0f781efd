import { useState, type CSSProperties } from 'react';
import type { PageData } from '../extraction/protocol.ts';
import type { FieldObject } from '@gleaner/contracts';
import { memberOf, plural } from '../../format/format.ts';
import { IconChevronDown, IconChevronRight } from '../../parts/icons.ts';
import { isEmptyValue } from '../schema/fill.ts';
import styles from './data-tree.module.css';

function member(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `['${name.replaceAll(/['\\]/g, String.raw`\$&`)}']`;
}

function typeOf(value: unknown): string | undefined {
  const type = memberOf(value, '@type');
  return typeof type === 'string' ? type : undefined;
}

/**
 * A JSONPath to a value. Elements of the outermost list are picked by their `@type` where they have one: their order
 * differs between pages.
 */
function toJsonPath(root: unknown, steps: readonly Step[]): string {
  let path = '$';
  let value = root;
  for (const [index, step] of steps.entries()) {
    const inner = (value as Record<Step, unknown> | null | undefined)?.[step];
    const type = typeOf(inner);
    if (typeof step === 'number') {
      const isSole = Array.isArray(value) && value.filter((one) => typeOf(one) === type).length === 1;
      path +=
        index === 0 && type !== undefined && isSole
          ? `[?@['@type'] == '${type.replaceAll("'", String.raw`\'`)}']`
          : `[${step}]`;
    } else path += member(step);
    value = inner;
  }
  return path;
}

/** The type of a field that reads such a value; texts need none. */
function typeFor(value: unknown): FieldObject {
  if (typeof value === 'number') return { type: Number.isInteger(value) ? 'integer' : 'number' };
  if (typeof value === 'boolean') return { type: 'boolean' };
  return typeof value === 'object' && value !== null ? { type: 'json' } : {};
}

/** A step into JSON: a member, or an element by its position. */
type Step = string | number;

interface DataTreeProps {
  data: PageData | undefined;
  /** `name` and `content` of the meta elements. */
  metas: readonly { name: string; content: string }[];
  onPick: (name: string, field: FieldObject) => void;
}

function preview(value: unknown): string {
  if (Array.isArray(value)) return plural(value.length, 'entry', 'entries');
  if (typeof value === 'object' && value !== null) {
    return typeOf(value) ?? plural(Object.keys(value).length, 'member');
  }
  return JSON.stringify(value);
}

interface NodeProps {
  label: string;
  value: unknown;
  steps: readonly Step[];
  depth: number;
  onTake: (steps: readonly Step[], value: unknown) => void;
}

const MAX_SHOWN = 200;

function TreeNode({ label, value, steps, depth, onTake }: NodeProps) {
  const isBranch = typeof value === 'object' && value !== null;
  const [isOpen, setOpen] = useState(depth < 2);
  const entries = isBranch ? Object.entries(value).slice(0, MAX_SHOWN) : [];
  return (
    <li>
      <div className={styles.line} style={{ '--depth': depth } as CSSProperties}>
        {isBranch ? (
          <button
            type="button"
            className={styles.toggle}
            aria-expanded={isOpen}
            aria-label={`${isOpen ? 'Close' : 'Open'} ${label}`}
            onClick={() => setOpen(!isOpen)}
          >
            {isOpen ? <IconChevronDown size={12} /> : <IconChevronRight size={12} />}
          </button>
        ) : (
          <span className={styles.toggle} />
        )}
        <button
          type="button"
          className={styles.value}
          onClick={() => onTake(steps, value)}
          title="Add a field for it"
        >
          <span>{label}</span>
          <span className="soft truncate">{preview(value)}</span>
        </button>
      </div>
      {isBranch && isOpen && entries.length > 0 && (
        <ul>
          {entries.map(([key, inner]) => (
            <TreeNode
              key={key}
              label={key}
              value={inner}
              steps={[...steps, Array.isArray(value) ? Number(key) : key]}
              depth={depth + 1}
              onTake={onTake}
            />
          ))}
        </ul>
      )}
    </li>
  );
}

function lastName(steps: readonly Step[]): string {
  return steps.findLast((step) => typeof step === 'string') ?? 'data';
}

interface Root {
  title: string;
  value: unknown;
  /** The source of a value at a path in it. */
  sourceOf: (path: string) => FieldObject;
}

function rootsOf({ jsonld, microdata, scripts, responses }: PageData): Root[] {
  const roots: Root[] = [
    { title: 'JSON-LD', value: jsonld, sourceOf: (path) => ({ jsonld: path }) },
    { title: 'Microdata', value: microdata, sourceOf: (path) => ({ microdata: path }) },
    ...scripts.map(({ script, value }) => ({
      title: script,
      value,
      sourceOf: (path: string) => ({ json: { script, path } }),
    })),
    ...responses.map(({ url, value }) => ({
      title: `Loaded from ${url}`,
      value,
      sourceOf: (path: string) => ({ xhr: { url, path } }),
    })),
  ];
  return roots.filter(({ value }) => !isEmptyValue(value));
}

/** Data that the page contains but doesn't show: click a value to make a field of it. */
export function DataTree({ data, metas, onPick }: DataTreeProps) {
  if (!data) return <p className="state inset soft">Reading the data of the page …</p>;
  const roots = rootsOf(data);
  if (roots.length === 0 && metas.length === 0) {
    return (
      <p className="state inset soft">
        This page has no JSON-LD, microdata, embedded JSON or meta tags. Pages that are fetched in a browser
        show the JSON that they loaded, too.
      </p>
    );
  }
  return (
    <div className={styles.tree}>
      {roots.map(({ title, value, sourceOf }) => (
        <section key={title}>
          <h3>{title}</h3>
          <ul>
            <TreeNode
              label="$"
              value={value}
              steps={[]}
              depth={0}
              onTake={(steps, taken) =>
                onPick(lastName(steps), { ...sourceOf(toJsonPath(value, steps)), ...typeFor(taken) })
              }
            />
          </ul>
        </section>
      ))}
      {metas.length > 0 && (
        <section>
          <h3>Meta</h3>
          <ul>
            {metas.map(({ name, content }) => (
              <li key={name}>
                <div className={styles.line}>
                  <span className={styles.toggle} />
                  <button type="button" className={styles.value} onClick={() => onPick(name, { meta: name })}>
                    <span>{name}</span>
                    <span className="soft truncate">{content}</span>
                  </button>
                </div>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}
