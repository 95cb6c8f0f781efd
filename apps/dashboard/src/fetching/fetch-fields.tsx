import type { ScrapeConfig } from '@gleaner/client';
import { faultAt } from '../api/problem.ts';
import { Folded } from '../parts/folded.tsx';
import { BrowserBox, FetchSettings } from './fetch-settings.tsx';
import { fetchWords } from './words.ts';

interface FetchFieldsProps {
  config: ScrapeConfig;
  onChange: (config: ScrapeConfig) => void;
  /** The answer to the last try, which may refuse one of the settings. */
  error?: unknown;
  /** Where the service finds the settings. Default: `scrape_config`. */
  field?: string;
  withRobots?: boolean;
  /** What holds where nothing is set. */
  otherwise: string;
}

/** How the pages of a run are fetched, folded until somebody wants to know. */
export function FetchFields({ field = 'scrape_config', ...props }: FetchFieldsProps) {
  const { config, onChange, error, withRobots = true, otherwise } = props;
  return (
    <Folded
      title="How pages are fetched"
      note={fetchWords(config) || otherwise}
      isFaulty={faultAt(error, field) !== undefined}
    >
      <BrowserBox config={config} onChange={onChange} />
      <FetchSettings
        config={config}
        onChange={onChange}
        withRobots={withRobots}
        faultOf={(setting) => faultAt(error, `${field}.${setting}`)}
      />
    </Folded>
  );
}
