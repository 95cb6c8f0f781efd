import type { HealthState } from '@gleaner/contracts/values';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { call, operationQuery, useChange } from '../api/call.ts';
import { formatNumber, plural, shortUrl } from '../format/format.ts';
import { ActionButton, ConfirmButton } from '../parts/buttons.tsx';
import { IconRefresh, IconWand } from '../parts/icons.ts';
import { Empty, Failure, Loaded, Status, type StatusName } from '../parts/page.tsx';
import { When } from '../parts/when.tsx';
import { PlainTable, type PlainColumn } from '../parts/plain-table.tsx';
import { StudioLink } from '../parts/studio-link.tsx';
import { RunLink } from '../runs/run-link.tsx';
import {
  CAUSES,
  inOrder,
  NOTABLE,
  percent,
  usualValues,
  WHOLE_PAGE,
  type FieldHealth,
  type HostHealth,
} from './field-health.ts';
import { ParserPart } from './parser-part.tsx';
import { RepairProposal } from './repair-proposal.tsx';

const STATES = {
  healthy: 'succeeded',
  degraded: 'attention',
  broken: 'failed',
} satisfies Record<HealthState, StatusName>;

function FieldState({ field: { broken_by, suspicion, fill_rate } }: { field: FieldHealth }) {
  if (broken_by.length > 0)
    return <Status status="failed" word={broken_by.map((cause) => CAUSES[cause]).join(', ')} />;
  if (suspicion >= NOTABLE) return <Status status="attention" word="more often missing or unusual" />;
  return fill_rate === null ? (
    <Status status="pending" word="learning" />
  ) : (
    <Status status="succeeded" word="as before" />
  );
}

const COLUMNS: readonly PlainColumn<FieldHealth>[] = [
  {
    header: 'Field',
    cell: ({ path }) => (path === WHOLE_PAGE ? <span className="soft">the whole page</span> : path),
  },
  { header: 'State', cell: (field) => <FieldState field={field} /> },
  { header: 'Usually filled', align: 'right', cell: (field) => percent(field.fill_rate) },
  { header: 'Usual values', className: 'soft mono', cell: usualValues },
  { header: 'Learned from', align: 'right', className: 'soft', cell: ({ pages }) => plural(pages, 'page') },
  { header: 'Likely broken', align: 'right', className: 'soft', cell: (field) => percent(field.suspicion) },
];

/** A page that shows what is wrong on a host, with the ways to look at it. */
function ExamplePage({ parserId, example }: { parserId: string; example: Example }) {
  const { url, page, run_id: runId } = example;
  return (
    <p className="small">
      For example, {shortUrl(url)} lacked a value that it should have, or had an unusual one.{' '}
      <StudioLink parserId={parserId} page={page === null ? { open: url } : { kept: page }}>
        Open it in the studio
      </StudioLink>
      {runId.startsWith('bat_') && (
        <>
          {' '}
          or <RunLink id={runId}>look at its run</RunLink>
        </>
      )}
      .
    </p>
  );
}

type Example = NonNullable<HostHealth['example']>;

function Structure({ structure }: { structure: NonNullable<HostHealth['structure']> }) {
  const { is_changed: isChanged, recent, usual } = structure;
  return (
    <p className="small soft">
      {isChanged ? 'The structure of the last pages has changed: ' : 'The structure of pages is unchanged: '}
      the last pages match earlier ones by {percent(recent)}, usually by {percent(usual)}.
    </p>
  );
}

/** The health of one host: its fields with their evidence, its failures, and an example page. */
function HostSection({ parserId, host }: { parserId: string; host: HostHealth }) {
  const params = { id: parserId };
  const { example, version } = host;
  const repair = useChange((batch: string) => call('proposeParserRepair', { params, body: { batch } }));
  const reset = useChange(() => call('resetParserHealth', { params, body: { host: host.host, version } }), {
    stale: ['getParserHealth'],
  });
  const isWell = host.state === 'healthy';
  return (
    <section className="section stack" aria-label={`${host.host}, version ${version}`}>
      <div className="row wrap">
        <h2>{host.host}</h2>
        {host.pages > 0 ? (
          <Status status={STATES[host.state]} word={host.state} />
        ) : (
          <Status status="pending" word="no page read yet" />
        )}
        <span className="soft small">
          version {version}, {plural(host.pages, 'page')}, since <When at={host.changed_at} />
        </span>
        <span className="grow" />
        {!isWell && example?.run_id.startsWith('bat_') === true && (
          <ActionButton
            isMain
            icon={IconWand}
            loading={repair.isPending}
            onClick={() => repair.mutate(example.run_id)}
          >
            Propose a repair
          </ActionButton>
        )}
        {!isWell && (
          <ConfirmButton
            icon={IconRefresh}
            label="Learn again"
            title={`Learn ${host.host} again`}
            action="Forget and learn again"
            run={() => reset.mutateAsync()}
          >
            For a site that changed on purpose: the new values become normal. What was learned from{' '}
            {plural(host.pages, 'page')} is forgotten permanently, and until 20 further pages are read no
            alarm is raised here. Rows that are held back stay held.
          </ConfirmButton>
        )}
      </div>
      {example !== null && !isWell && <ExamplePage parserId={parserId} example={example} />}
      <Failure error={repair.error} />
      {repair.data && example && (
        <RepairProposal parserId={parserId} batchId={example.run_id} proposal={repair.data} />
      )}
      {host.fields.length > 0 && (
        <PlainTable
          label={`Fields on ${host.host}`}
          rows={inOrder(host.fields)}
          rowKey={({ path }) => path}
          columns={COLUMNS}
        />
      )}
      {host.structure && <Structure structure={host.structure} />}
      {host.failures.length > 0 && (
        <p className="small soft">
          Failures: {host.failures.map(({ error, count }) => `${error} ${formatNumber(count)}×`).join(', ')}
        </p>
      )}
    </section>
  );
}

/** How the versions of a parser do on each host, and a repair where one is needed. */
export function HealthPage() {
  const { parserId } = useParams({ from: '/app/parsers/$parserId/health' });
  const query = useQuery(operationQuery('getParserHealth', { params: { id: parserId } }));
  return (
    <ParserPart parserId={parserId} title="Health">
      <Loaded query={query} what="the health">
        {({ hosts }) =>
          hosts.length === 0 ? (
            <Empty title="Nothing is known yet">
              <p>
                While the parser reads pages, Gleaner learns how often each field has a value on each host.
                This page shows what changes.
              </p>
            </Empty>
          ) : (
            hosts.map((host) => (
              <HostSection key={`${host.host} ${host.version}`} parserId={parserId} host={host} />
            ))
          )
        }
      </Loaded>
    </ParserPart>
  );
}
