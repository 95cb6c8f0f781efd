import { EXAMPLES } from '../fetching/fetch-page.ts';
import { OpenPage, type OpenPageProps } from './open-page.tsx';
import styles from './pages.module.css';
import { UnsavedParsers } from './unsaved-parsers.tsx';

interface NoPageProps extends OpenPageProps {
  /** The account, of a parser that isn't saved yet: it may go on with one that was begun. */
  accountId: string | undefined;
  onExample: (name: string) => void;
}

/** The first step: a page to pick from. */
export function NoPage({ accountId, onExample, ...open }: NoPageProps) {
  return (
    <div className={`form ${styles.none}`}>
      <h2 className={styles.question}>Which page should it read?</h2>
      <OpenPage {...open} isLarge />
      <p className="soft">Or start with an example:</p>
      <div className="choice">
        {EXAMPLES.map(({ name, title, about }) => (
          <button key={name} type="button" onClick={() => onExample(name)}>
            {title}
            <small>{about}</small>
          </button>
        ))}
      </div>
      {accountId !== undefined && <UnsavedParsers accountId={accountId} />}
    </div>
  );
}
