import { ExampleChoice } from '../fetching/examples.tsx';
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
      <ExampleChoice onChoose={onExample} />
      {accountId !== undefined && <UnsavedParsers accountId={accountId} />}
    </div>
  );
}
