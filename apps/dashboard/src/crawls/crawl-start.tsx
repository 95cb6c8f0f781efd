import { priceOf } from '@gleaner/contracts/values';
import { Button, NumberInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link, useNavigate, useRouter, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { call, type CallOutput } from '../api/call.ts';
import { faultAt } from '../api/problem.ts';
import { FetchFields } from '../fetching/fetch-fields.tsx';
import { plural } from '../format/format.ts';
import { withMember } from '../parts/forms.tsx';
import type { PlainColumn } from '../parts/plain-table.tsx';
import { ParserFilter } from '../targets/parser-filter.tsx';
import { lackOfSink, NO_SINK } from '../targets/sink.ts';
import { SinkFields } from '../targets/sink-fields.tsx';
import { draftOfRules, rulesOf } from './crawl-draft.ts';
import styles from './crawls.module.css';
import { CrawlFailure, RuleFields, ScopeSelect, SourceSelect } from './crawl-rules.tsx';
import { KindTable, type KindLine } from './kind-table.tsx';
import { MADE_PARSER } from '../targets/target.ts';
import { routesOf, type Reading, type Readings } from './routes.ts';
import type { UrlNode } from './url-tree.ts';

type Crawl = CallOutput<'getCrawl'>;

/** Which pages are read, as the address keeps it too: a parser that is made meanwhile comes back to it. */
function useReadings(id: string) {
  const { outcome, read = {} } = useSearch({ from: '/app/crawls/$runId' });
  const navigate = useNavigate({ from: '/crawls/$runId' });
  const router = useRouter();
  const [readings, setReadings] = useState<Readings>(read);
  const set = (pattern: string, reading: Reading | undefined): void => {
    const next = withMember(readings, pattern, reading);
    setReadings(next);
    void navigate({ search: { outcome, read: next }, replace: true });
  };
  /** The address that leads back here from the studio. */
  const backOf = (pattern: string): string => {
    const made = { ...(readings[pattern] ?? NO_SINK), parser: MADE_PARSER };
    const search = { read: withMember(readings, pattern, made) };
    return router.buildLocation({ to: '/crawls/$runId', params: { runId: id }, search }).href;
  };
  return { readings, set, backOf };
}

type ReadingsState = ReturnType<typeof useReadings>;

function readingColumn({ readings, set, backOf }: ReadingsState): PlainColumn<KindLine> {
  return {
    header: 'Read with',
    cell: ({ node: { pattern, isRoute, examples } }) =>
      isRoute && (
        <span className={`row ${styles.reading}`}>
          <ParserFilter
            label={`Parser of ${pattern}`}
            placeholder="Not read"
            w={170}
            value={readings[pattern]?.parser}
            onChange={(parser) =>
              set(pattern, parser === undefined ? undefined : { ...(readings[pattern] ?? NO_SINK), parser })
            }
          />
          <Link
            to="/parsers/new"
            search={{ open: examples[0], back: backOf(pattern) }}
            aria-label={`Make one for ${pattern}`}
          >
            Make one
          </Link>
        </span>
      ),
  };
}

/** Where the rows of each route go. */
function RouteSinks({ readings, set, error }: Omit<ReadingsState, 'backOf'> & { error: unknown }) {
  return routesOf(readings).map(({ match, name }, index) => {
    const reading = readings[match];
    const fault = faultAt(error, `routes[${index}]`);
    return (
      reading && (
        <div key={match} role="group" aria-label={`Route ${name}`} className="stack tight">
          <h3>
            <code>{match}</code>
          </h3>
          <SinkFields
            without="this crawl, for 24 hours"
            value={reading}
            onChange={(sink) => set(match, { ...reading, ...sink })}
          />
          {fault !== undefined && (
            <div className="bad-text small" role="alert">
              {fault}
            </div>
          )}
        </div>
      )
    );
  });
}

/** The missing part of the form, in words; undefined when it is complete. */
function lackOf(readings: Readings): string | undefined {
  const all = Object.values(readings);
  if (all.length === 0) return 'Choose a parser for at least one kind of page.';
  const lacks = all.map((reading) => (reading.database === null ? undefined : lackOfSink(reading)));
  return lacks.find((lack) => lack !== undefined);
}

interface CrawlStartProps {
  map: Crawl;
  nodes: readonly UrlNode[];
  onCollect: (node: UrlNode) => void;
}

/** The second step of a crawl: which kinds of pages of a map are read, with which parser, and where the rows go. */
export function CrawlStart({ map, nodes, onCollect }: CrawlStartProps) {
  const navigate = useNavigate();
  const reading = useReadings(map.id);
  const { readings } = reading;
  const [rules, setRules] = useState(() => draftOfRules(map.crawl));
  const [config, setConfig] = useState(map.scrape_config);
  const [pages, setPages] = useState<number | ''>(1_000);
  const crawl = useMutation({
    mutationFn: () =>
      call('createCrawl', {
        body: {
          ...(map.name === null ? {} : { name: map.name }),
          start: [...map.start],
          crawl: rulesOf(rules, map.crawl),
          routes: routesOf(readings),
          scrape_config: config,
          limits: { pages: Number(pages) },
        },
      }),
    onSuccess: ({ id }) => navigate({ to: '/crawls/$runId', params: { runId: id } }),
  });
  const { error } = crawl;
  const rulesProps = { draft: rules, onChange: setRules, error };
  const lack = lackOf(readings);
  return (
    <div className="stack">
      <KindTable nodes={nodes} onCollect={onCollect} reading={readingColumn(reading)} />
      <div className="form">
        <RouteSinks {...reading} error={error} />
        <div className="row wrap top">
          <ScopeSelect {...rulesProps} />
          <SourceSelect {...rulesProps} />
        </div>
        <RuleFields {...rulesProps} />
        <FetchFields
          config={config}
          onChange={setConfig}
          error={error}
          withRobots={false}
          otherwise="over plain HTTP"
        />
        <CrawlFailure error={error} />
        <div className="row wrap bottom">
          <NumberInput
            label="Pages at most"
            min={1}
            w={140}
            allowDecimal={false}
            value={pages}
            error={faultAt(error, 'limits.pages')}
            onChange={(most) => setPages(most === '' ? '' : Number(most))}
          />
          <Button
            size="sm"
            disabled={lack !== undefined || Number(pages) < 1}
            loading={crawl.isPending}
            onClick={() => crawl.mutate()}
          >
            Crawl for at most {plural(Number(pages) * priceOf(config), 'credit')}
          </Button>
          <span className="soft small">{lack}</span>
        </div>
      </div>
    </div>
  );
}
