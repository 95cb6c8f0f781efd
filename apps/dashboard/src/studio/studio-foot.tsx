import { plural, formatDuration } from '../format/format.ts';
import styles from './studio.module.css';
import type { StudioState } from './use-studio-state.ts';

/** What the studio holds, how fast it read it, and the first fault of the schema. */
export function StudioFoot({ studio }: { studio: StudioState }) {
  const { fieldCount, pages, outcome, faults } = studio;
  const [fault] = faults;
  return (
    <footer className={`${styles.foot} small soft`}>
      <span>
        {plural(fieldCount, 'field')} · {plural(pages.pages.length, 'page')}
      </span>
      {outcome !== undefined && <span>read in {formatDuration(Math.max(1, outcome.ms))}</span>}
      {fault !== undefined && (
        <span className="bad-text truncate">
          {fault.path}: {fault.reason}
        </span>
      )}
    </footer>
  );
}
