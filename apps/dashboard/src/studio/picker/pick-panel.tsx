import { Button } from '@mantine/core';
import { fieldAt, pathText, withoutAttribute } from '../schema/draft.ts';
import { readSources } from '../schema/sources.ts';
import type { StudioState } from '../use-studio-state.ts';
import type { Picker } from './use-picker.ts';
import styles from './pick-panel.module.css';

/** After a click: the selectors that fit, best first, and the list that the element may belong to. */
export function PickPanel({ picker, studio }: { picker: Picker; studio: StudioState }) {
  const { pick } = picker;
  const field = pick && fieldAt(studio.draft, pick.path);
  if (!pick || !field) return null;
  const [source] = readSources(field);
  const current = source && (source.kind === 'xpath' ? source.text : withoutAttribute(source.text));
  const tryOut = (preview: string | undefined): void => studio.show({ preview });
  return (
    <section className={styles.panel} aria-label="Selectors for the picked element">
      <div className="row">
        <strong className="grow truncate">{pathText(pick.path)}</strong>
        {pick.list && <Button onClick={picker.makeList}>Make a list of {pick.list.count} like this</Button>}
        {pick.inner && (
          <Button onClick={picker.readAll}>Read all {pick.inner.count} in a row as a list</Button>
        )}
        <Button variant="subtle" color="gray" onClick={picker.clear}>
          Done
        </Button>
      </div>
      {picker.readings.length > 1 && (
        <div className="row" role="group" aria-label="What to read of it">
          {picker.readings.map((reading) => (
            <Button
              key={reading.label}
              variant={reading === picker.reading ? 'light' : 'default'}
              aria-pressed={reading === picker.reading}
              onClick={() => picker.take(reading)}
            >
              {reading.label}
            </Button>
          ))}
        </div>
      )}
      <ul className={styles.suggestions}>
        {pick.suggestions.map(({ selector, count, why }) => (
          <li key={selector}>
            <button
              type="button"
              aria-pressed={selector === current}
              onClick={() => picker.choose(selector)}
              onMouseEnter={() => tryOut(selector)}
              onMouseLeave={() => tryOut(undefined)}
              onFocus={() => tryOut(selector)}
              onBlur={() => tryOut(undefined)}
            >
              <code className="truncate">{selector}</code>
              <span className="num">{count}×</span>
              <span className="soft truncate" title={why}>
                {why}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {pick.path.length > 1 ? (
        <p className="small soft">
          Reads every row of the list. Click another value in a row to add a column, or undo to keep one
          value.
        </p>
      ) : (
        <p className="small soft">Click a similar element to read all of them as a list.</p>
      )}
    </section>
  );
}
