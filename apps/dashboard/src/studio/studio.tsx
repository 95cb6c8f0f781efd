import { useState } from 'react';
import { Failure } from '../parts/page.tsx';
import type { KeptPage } from './extraction/protocol.ts';
import { NoPage } from './pages/no-page.tsx';
import { OpenPage } from './pages/open-page.tsx';
import { SampleNotice } from './sample-notice.tsx';
import { SaveNotice } from './save-notice.tsx';
import { StudioFoot } from './studio-foot.tsx';
import { StudioHead } from './studio-head.tsx';
import { StudioPanes } from './studio-panes.tsx';
import styles from './studio.module.css';
import { useStudioState, type StudioProps } from './use-studio-state.ts';

/** Where parsers are made: the page, the fields and what they give, side by side. */
export function Studio(props: StudioProps) {
  const { search, onSearch } = props;
  const studio = useStudioState(props);
  const { record, pages, opening } = studio;
  const { active } = pages;
  const [isAdding, setAdding] = useState(search.open !== undefined);
  const addOpened = (page: KeptPage): void => {
    pages.add(page);
    onSearch({ open: undefined });
  };
  return (
    <>
      <StudioHead studio={studio} isAdding={isAdding} onAdding={setAdding} />
      {isAdding && active && (
        <div className="filters">
          <div className="grow">
            <OpenPage
              initialUrl={search.open}
              onOpened={(page) => {
                addOpened(page);
                setAdding(false);
              }}
            />
          </div>
        </div>
      )}
      <div className={styles.notices}>
        <SaveNotice
          parserId={record?.id}
          draft={studio.draft}
          save={studio.save}
          changes={studio.changes}
          onRead={studio.forgetChanges}
        />
        <SampleNotice parserId={record?.id} keeping={studio.keepSample} />
      </div>
      {opening.error !== null && (
        <div className="filters">
          <Failure error={opening.error} />
        </div>
      )}
      {active ? (
        <>
          <StudioPanes studio={studio} page={active} search={search} onSearch={onSearch} />
          <StudioFoot studio={studio} />
        </>
      ) : (
        <div className="page-body padded">
          {opening.isPending || !pages.isReady ? (
            <p className="state inset soft" role="status">
              Opening the page …
            </p>
          ) : (
            <NoPage
              initialUrl={search.open}
              onOpened={addOpened}
              onExample={(chosen) => opening.mutate({ open: undefined, example: chosen })}
            />
          )}
        </div>
      )}
    </>
  );
}
