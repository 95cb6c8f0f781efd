import { FETCHING } from '../../runs/tasks/run-config.ts';

/** How the pages of a part were fetched, as SQL of its row `s` of `stages` and its run `r`: those of a route by the crawl's own run. */
export const PART_FETCHING = `(
  SELECT ${FETCHING} FROM (
    SELECT coalesce((
      SELECT pages.config FROM gleaner.stages fetched JOIN gleaner.runs pages ON pages.no = fetched.run_no
      WHERE s.role = 'route' AND fetched.root_no = s.root_no AND fetched.role = 'pages'
    ), r.config) AS config
  ) c
)`;
