import styles from './charts.module.css';

/** A part of a whole as a bar, beside its number. @param of from 0 to 1 */
export function Share({ of, children }: { of: number; children: React.ReactNode }) {
  return (
    <span className={styles.share}>
      <i aria-hidden>
        <b style={{ width: `${Math.max(0, Math.min(1, of)) * 100}%` }} />
      </i>
      <span>{children}</span>
    </span>
  );
}
