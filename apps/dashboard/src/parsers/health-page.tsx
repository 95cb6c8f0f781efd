import { ParserCrumbs } from './parser-crumbs.tsx';
import type { FieldFault, HealthState } from '@gleaner/contracts/values';
import { Button, Tooltip } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { CallOutput } from '../api/call.ts';
import { call } from '../api/call.ts';
import { operationQuery } from '../api/queries.ts';
import { formatNumber, plural } from '../format/number.ts';
import { shortUrl } from '../format/shorten.ts';
import { IconWand } from '../parts/icons.ts';
import { Page } from '../parts/page.tsx';
import { Empty, Failure, Loaded } from '../parts/states.tsx';
import { Status, When, type StatusName } from '../parts/values.tsx';
import { RepairProposal } from './repair-proposal.tsx';

type Host = CallOutput<'getParserHealth'>['hosts'][number];

const STATES = {
  healthy: 'succeeded',
  degraded: 'attention',
  broken: 'failed',
} satisfies Record<HealthState, StatusName>;

function percent(share: number | null): string {
  return share === null ? '–' : `${Math.round(share * 100)} %`;
}

/** The key of the extraction as a whole, beside the fields. */
const WHOLE_PAGE = '*';
/** From here on a field's suspicion is worth a look. */
const NOTABLE = 0.3;

type FieldHealth = Host['fields'][number];

/** Broken fields first, the page as a whole last. */
function inOrder(fields: readonly FieldHealth[]): FieldHealth[] {
  const rank = ({ path, is_broken }: FieldHealth): number => (path === WHOLE_PAGE ? 2 : is_broken ? 0 : 1);
  return [...fields].sort((a, b) => rank(a) - rank(b) || b.suspicion - a.suspicion);
}

const CAUSES = {
  missing: 'no longer filled',
  shape: 'written in another way',
  range: 'outside its range',
  repeated: 'the same on all pages',
} satisfies Record<FieldFault, string>;

function FieldState({ field: { broken_by, suspicion, fill_rate } }: { field: FieldHealth }) {
  if (broken_by.length > 0)
    return <Status status="failed" word={broken_by.map((cause) => CAUSES[cause]).join(', ')} />;
  if (suspicion >= NOTABLE) return <Status status="attention" word="missing or unusual more often" />;
  return fill_rate === null ? (
    <Status status="pending" word="learning" />
  ) : (
    <Status status="succeeded" word="as before" />
  );
}

/** What the field's values usually are, such as `w 9` or `4 to 120`. */
function usualValues({ values }: FieldHealth): string {
  if (values === null) return '–';
  const { kind, shapes, least, most } = values;
  if (kind === 'boolean') return shapes.join(', ');
  const range = least === null || most === null ? '' : `${formatNumber(least)} to ${formatNumber(most)}`;
  if (kind === 'number') return range;
  if (kind === 'list') return `${range} items`;
  return shapes[0] === undefined || shapes[0] === 'prose'
    ? `${range} characters`
    : shapes.slice(0, 2).join(' or ');
}

/** The health of one host: its fields with their evidence, its failures, and an example page. */
function HostHealth({ parserId, host }: { parserId: string; host: Host }) {
  const repair = useMutation({
    mutationFn: (batch: string) => call('proposeParserRepair', { params: { id: parserId }, body: { batch } }),
  });
  const client = useQueryClient();
  const reset = useMutation({
    mutationFn: () =>
      call('resetParserHealth', {
        params: { id: parserId },
        body: { host: host.host, version: host.version },
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['getParserHealth'] }),
  });
  const { example } = host;
  const canRepair = host.state !== 'healthy' && example?.run_id.startsWith('bat_') === true;
  return (
    <section className="section stack" aria-label={`${host.host}, version ${host.version}`}>
      <div className="row wrap">
        <h2>{host.host}</h2>
        <Status status={STATES[host.state]} word={host.state} />
        <span className="soft small">
          version {host.version}, {plural(host.pages, 'page')}, since <When at={host.changed_at} />
        </span>
        <span className="grow" />
        {canRepair && example && (
          <Button
            leftSection={<IconWand size={14} />}
            loading={repair.isPending}
            onClick={() => repair.mutate(example.run_id)}
          >
            Propose a repair
          </Button>
        )}
        {host.state !== 'healthy' && (
          <Tooltip label="The site changed on purpose: what is unusual now becomes the usual">
            <Button variant="default" loading={reset.isPending} onClick={() => reset.mutate()}>
              Learn anew
            </Button>
          </Tooltip>
        )}
      </div>
      {example !== null && host.state !== 'healthy' && (
        <p className="small">
          For example, {shortUrl(example.url)} lacked a value which it should have, or had an unusual one.{' '}
          <Link
            to="/parsers/$parserId"
            params={{ parserId }}
            search={example.page === null ? { open: example.url } : { kept: example.page }}
          >
            Open it in the studio
          </Link>
          {example.page === null && <span className="soft"> (fetches it once more)</span>}
          {example.run_id.startsWith('bat_') && (
            <>
              {' '}
              or{' '}
              <Link to="/runs/batches/$batchId" params={{ batchId: example.run_id }}>
                look at its run
              </Link>
            </>
          )}
          .
        </p>
      )}
      {repair.error !== null && <Failure error={repair.error} />}
      {reset.error !== null && <Failure error={reset.error} />}
      {repair.data && example && (
        <RepairProposal parserId={parserId} batchId={example.run_id} proposal={repair.data} />
      )}
      <div className="scroll-x" tabIndex={0} role="region" aria-label={`Fields on ${host.host}`}>
        <table className="plain">
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col">State</th>
              <th scope="col" className="num">
                Usually filled
              </th>
              <th scope="col">Usual values</th>
              <th scope="col" className="num">
                Learned from
              </th>
              <th scope="col" className="num">
                Likely broken
              </th>
            </tr>
          </thead>
          <tbody>
            {inOrder(host.fields).map((field) => (
              <tr key={field.path}>
                <td>
                  {field.path === WHOLE_PAGE ? <span className="soft">any value at all</span> : field.path}
                </td>
                <td>
                  <FieldState field={field} />
                </td>
                <td className="num">{percent(field.fill_rate)}</td>
                <td className="soft mono">{usualValues(field)}</td>
                <td className="num soft">{plural(field.pages, 'page')}</td>
                <td className="num soft">{percent(field.suspicion)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {host.structure !== null && (
        <p className="small soft">
          {host.structure.is_changed
            ? 'The last pages are built in another way than those before: '
            : 'Pages are built as before: '}
          the last are {percent(host.structure.recent)} like those before, usually it is{' '}
          {percent(host.structure.usual)}.
        </p>
      )}
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
  const params = { id: parserId };
  const parser = useQuery(operationQuery('getParser', { params }));
  const query = useQuery(operationQuery('getParserHealth', { params }));
  return (
    <Page title="Health" crumbs={<ParserCrumbs parserId={parserId} name={parser.data?.name} />} padded>
      <Loaded query={query} what="the health">
        {({ hosts }) =>
          hosts.length === 0 ? (
            <Empty title="Nothing is known yet">
              <p>
                As the parser reads pages, Gleaner learns how often each field has a value on each host. When
                that changes, it says so here.
              </p>
            </Empty>
          ) : (
            hosts.map((host) => (
              <HostHealth key={`${host.host} ${host.version}`} parserId={parserId} host={host} />
            ))
          )
        }
      </Loaded>
    </Page>
  );
}
