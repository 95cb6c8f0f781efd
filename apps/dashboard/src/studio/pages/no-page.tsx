import type { KeptPage } from '../extraction/protocol.ts';
import { EXAMPLES } from './fetch-page.ts';
import { OpenPage } from './open-page.tsx';
import styles from './pages.module.css';

interface NoPageProps {
  initialUrl: string | undefined;
  onOpened: (page: KeptPage) => void;
  onExample: (name: string) => void;
}

/** The first step: a page to pick from. */
export function NoPage({ initialUrl, onOpened, onExample }: NoPageProps) {
  return (
    <div className={`form ${styles.none}`}>
      <h2 className={styles.question}>Which page should it read?</h2>
      <OpenPage onOpened={onOpened} initialUrl={initialUrl} isLarge />
      <p className="soft">Or start with an example:</p>
      <div className="choice">
        {EXAMPLES.map(({ name, title, about }) => (
          <button key={name} type="button" onClick={() => onExample(name)}>
            {title}
            <small>{about}</small>
          </button>
        ))}
      </div>
    </div>
  );
}
