import type { AbsentDecision, HealthState } from '@gleaner/contracts/values';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { call, operationQuery, useChange } from '../api/call.ts';
import { PagesByDay } from '../charts/pages-by-day.tsx';
import { plural, shortUrl } from '../format/format.ts';
import { ActionButton, ConfirmButton } from '../parts/buttons.tsx';
import { IconRefresh, IconTrash, IconWand } from '../parts/icons.ts';
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

function FieldState({
  field: { broken_by, suspicion, fill_rate, absent_since: since },
}: {
  field: FieldHealth;
}) {
  if (since !== null)
    return (
      <span className="row wrap">
        <Status status="attention" word="not on the page" />
        <span className="soft small">
          since <When at={since} />
        </span>
      </span>
    );
  if (broken_by.length > 0)
    return <Status status="failed" word={broken_by.map((cause) => CAUSES[cause]).join(', ')} />;
  if (suspicion >= NOTABLE) return <Status status="attention" word="more often missing or unusual" />;
  return fill_rate === null ? (
    <Status status="pending" word="learning" />
  ) : fill_rate === 0 ? (
    <Status status="pending" word="never has a value" />
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
  return (
    <p className="small soft">
      {structure.is_changed
        ? 'The last pages are built otherwise than earlier ones: the site has a new template.'
        : 'The pages are built as before.'}
    </p>
  );
}

/** What becomes of the fields that a version has never found: both choices name them. */
function AbsentFields({ parserId, paths }: { parserId: string; paths: readonly string[] }) {
  const decide = useChange(
    (decision: AbsentDecision) =>
      call('decideAbsentFields', { params: { id: parserId }, body: { fields: [...paths], decision } }),
    { stale: ['getParser', 'getParserHealth', 'listParserVersions', 'listAlarms'] },
  );
  const names = paths.join(', ');
  return (
    <div className="notice" role="region" aria-label="Fields that are not on the page">
      <div className="stack grow">
        <span>
          <strong>{plural(paths.length, 'field')} not found any more:</strong> {names}. Rows are written
          without {paths.length === 1 ? 'it' : 'them'}.
        </span>
        <Failure error={decide.error} />
        <div className="row wrap">
          <Button
            variant="default"
            loading={decide.isPending && decide.variables === 'keep'}
            disabled={decide.isPending}
            onClick={() => decide.mutate('keep')}
          >
            Keep {names}
          </Button>
          <ConfirmButton
            icon={IconTrash}
            label={`Drop ${names}`}
            title={`Drop ${names}`}
            action="Save a version without"
            run={() => decide.mutateAsync('drop')}
          >
            The parser gets a new version without {names}. Columns and rows of tables stay as they are, and
            you can restore this version.
          </ConfirmButton>
          <span className="soft small">Keep: it may come back, and its absence is no alarm.</span>
        </div>
      </div>
    </div>
  );
}

/** The health of one host: its fields with their evidence, its failures, and an example page. */
function HostSection({ parserId, host }: { parserId: string; host: HostHealth }) {
  const params = { id: parserId };
  const { example, version, is_current: isCurrent } = host;
  const absent = host.fields.flatMap(({ path, absent_since: since }) => (since === null ? [] : [path]));
  const isBroken = host.fields.some(({ is_broken: broken }) => broken);
  const repair = useChange((batch: string) => call('proposeParserRepair', { params, body: { batch } }));
  const reset = useChange(() => call('resetParserHealth', { params, body: { host: host.host } }), {
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
        {isCurrent && isBroken && example?.run_id.startsWith('bat_') === true && (
          <ActionButton
            isMain
            icon={IconWand}
            loading={repair.isPending}
            onClick={() => repair.mutate(example.run_id)}
          >
            Propose a repair
          </ActionButton>
        )}
        {isCurrent && isBroken && (
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
      {!isCurrent && (
        <p className="soft small">An earlier version: what it lost is decided at the current one.</p>
      )}
      {isCurrent && absent.length > 0 && <AbsentFields parserId={parserId} paths={absent} />}
      {isCurrent && example !== null && !isWell && <ExamplePage parserId={parserId} example={example} />}
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
          Failures:{' '}
          {host.failures.map(({ error, count }) => `${error} in ${plural(count, 'attempt')}`).join(', ')}. A
          page may be tried several times.
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
      <div className="section">
        <PagesByDay of={{ parser: parserId }} />
      </div>
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
