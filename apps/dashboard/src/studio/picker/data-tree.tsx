import { useState, type CSSProperties } from 'react';
import type { PageData } from '../extraction/protocol.ts';
import type { FieldObject } from '@gleaner/contracts';
import { fieldFromData, toJsonPath } from '../schema/from-data.ts';
import { IconChevronDown, IconChevronRight } from '../../parts/icons.ts';
import styles from './data-tree.module.css';

type Step = string | number;

interface DataTreeProps {
  data: PageData | undefined;
  /** `name` and `content` of the meta elements. */
  metas: readonly { name: string; content: string }[];
  onPick: (name: string, field: FieldObject) => void;
}

function preview(value: unknown): string {
  if (Array.isArray(value)) return `${value.length} entries`;
  if (typeof value === 'object' && value !== null) {
    const type = (value as Record<string, unknown>)['@type'];
    return typeof type === 'string' ? type : `${Object.keys(value).length} members`;
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

function isFilled(value: unknown): boolean {
  return value !== null && !(Array.isArray(value) && value.length === 0);
}

/** Data that the page contains but doesn't show: click a value to make a field of it. */
export function DataTree({ data, metas, onPick }: DataTreeProps) {
  if (!data) return <p className="state inset soft">Reading the data of the page …</p>;
  const roots: { title: string; value: unknown; source: Parameters<typeof fieldFromData>[0] }[] = [
    { title: 'JSON-LD', value: data.jsonld, source: 'jsonld' as const },
    { title: 'Microdata', value: data.microdata, source: 'microdata' as const },
    ...data.scripts.map(({ script, value }) => ({ title: script, value, source: { script } })),
  ].filter(({ value }) => isFilled(value));
  if (roots.length === 0 && metas.length === 0) {
    return (
      <p className="state inset soft">This page has no JSON-LD, microdata, embedded JSON or meta tags.</p>
    );
  }
  return (
    <div className={styles.tree}>
      {roots.map(({ title, value, source }) => (
        <section key={title}>
          <h3>{title}</h3>
          <ul>
            <TreeNode
              label="$"
              value={value}
              steps={[]}
              depth={0}
              onTake={(steps, taken) =>
                onPick(lastName(steps), fieldFromData(source, toJsonPath(value, steps), taken))
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
