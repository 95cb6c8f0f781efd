import { Button } from '@mantine/core';
import { ActionButton } from '../../parts/buttons.tsx';
import { IconPlayerRecord } from '../../parts/icons.ts';
import type { KeptPage } from '../extraction/protocol.ts';
import type { StudioState } from '../use-studio-state.ts';
import { isFetched } from '../../format/format.ts';
import { BrowserBox, FetchSettings } from '../../fetching/fetch-settings.tsx';
import styles from './fetching.module.css';
import { priceWords } from '../../fetching/words.ts';

interface RefetchButtonProps {
  studio: StudioState;
  page: KeptPage;
}

/** Fetches the shown page once more, as the settings say now. */
export function RefetchButton({ studio: { fetching, config }, page }: RefetchButtonProps) {
  return (
    <Button
      loading={fetching.isPending}
      disabled={!isFetched(page.url)}
      onClick={() => fetching.mutate({ url: page.url, config, replaces: page.id })}
    >
      Fetch this page again for {priceWords(config)}
    </Button>
  );
}

/** How the parser's pages are fetched. */
export function FetchSide({ studio, page, onRecord }: RefetchButtonProps & { onRecord: () => void }) {
  return (
    <div className={`stack ${styles.side}`}>
      <p className="soft small">
        Saved with the parser: every run, cron and stage fetches its pages so, unless it says otherwise.
      </p>
      <BrowserBox config={studio.config} onChange={studio.configure} />
      <FetchSettings config={studio.config} onChange={studio.configure} />
      <div className="row wrap">
        <RefetchButton studio={studio} page={page} />
        <ActionButton icon={IconPlayerRecord} onClick={onRecord}>
          Record actions in the page
        </ActionButton>
      </div>
    </div>
  );
}
