import { useNavigate } from '@tanstack/react-router';
import { runPlace } from '../runs/run-link.tsx';
import { sayRuns, squareOf, wordsOf, type CollectionRun } from './runs-squares.ts';
import styles from './today.module.css';

/** The page of a run as an address: hundreds of squares are plain links, which cost less than the router's. */
function hrefOf(id: string): string {
  return id.startsWith('bat_') ? `/runs/batches/${id}` : `/workflow-runs/${id}`;
}

interface SquaresProps {
  /** Newest first. */
  runs: readonly CollectionRun[];
  most?: number;
}

/** The last runs, the latest at the right: each a square that leads to it. The list of runs has them for the keyboard. */
export function Squares({ runs, most = 30 }: SquaresProps) {
  const navigate = useNavigate();
  return (
    <div className={styles.squares} role="group" aria-label={sayRuns(runs)}>
      {runs
        .slice(0, most)
        .toReversed()
        .map((run) => {
          const { run_id: id, at } = run;
          const look = `${styles.square} ${styles[squareOf(run)]}`;
          const words = wordsOf(run);
          if (id === null) return <i key={at} className={look} title={words} />;
          return (
            <a
              key={id}
              href={hrefOf(id)}
              className={look}
              title={words}
              aria-label={words}
              tabIndex={-1}
              onClick={(event) => {
                const place = runPlace(id);
                if (place === undefined || event.metaKey || event.ctrlKey || event.shiftKey) return;
                event.preventDefault();
                void navigate(place);
              }}
            />
          );
        })}
    </div>
  );
}
