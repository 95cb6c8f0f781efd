import styles from './charts.module.css';

/** One time of a small chart. */
export interface Spark {
  key: string;
  /** Shown on hover. */
  title: string;
  /** From 0 to 1; null: nothing is known. */
  share: number | null;
}

interface SparksProps {
  /** What the chart says, for those who can't see it. */
  label: string;
  sparks: readonly Spark[];
  isBad?: boolean;
}

/** Shares over time as small as a line of text. */
export function Sparks({ label, sparks, isBad = false }: SparksProps) {
  return (
    <span className={styles.sparks} role="img" aria-label={label}>
      {sparks.map(({ key, title, share }) => (
        <span key={key} title={title}>
          {share !== null && (
            <i className={isBad ? styles.bad : styles.good} style={{ height: `${share * 100}%` }} />
          )}
        </span>
      ))}
    </span>
  );
}
