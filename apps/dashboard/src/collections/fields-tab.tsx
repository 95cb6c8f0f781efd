import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { operationQuery, type CallOutput } from '../api/call.ts';
import { Share } from '../charts/share.tsx';
import { Sparks, type Spark } from '../charts/spark.tsx';
import { inOrder, percent, usualValues, WHOLE_PAGE, type FieldHealth } from '../parsers/field-health.ts';
import { plural } from '../format/format.ts';
import { Empty, Loaded, Status } from '../parts/page.tsx';
import { PlainTable, type PlainColumn } from '../parts/plain-table.tsx';
import { parserIdOf } from '../targets/target.ts';
import { TargetLink } from '../targets/target-link.tsx';
import type { Collection } from '../today/runs-squares.ts';

type Day = CallOutput<'getParserHealth'>['days'][number];

/** The share of pages with a value on each day; a gap where none was read. */
function sparksOf(days: readonly Day[], path: string): Spark[] {
  return days.map(({ day, fields }) => {
    const { pages = 0, filled = 0 } = fields.find((field) => field.path === path) ?? {};
    const share = pages === 0 ? null : filled / pages;
    return { key: day, title: `${day}: ${percent(share)} of ${plural(pages, 'page')}`, share };
  });
}

function daysColumn(days: readonly Day[]): PlainColumn<FieldHealth> {
  return {
    header: 'Filled, by day',
    cell: ({ path }) => (
      <Sparks
        label={`Days on which ${path} had values, of the last ${days.length}`}
        sparks={sparksOf(days, path)}
      />
    ),
  };
}

const COLUMNS: readonly PlainColumn<FieldHealth>[] = [
  {
    header: 'Field',
    cell: ({ path }) => (path === WHOLE_PAGE ? <span className="soft">the whole page</span> : path),
  },
  {
    header: 'Usually filled',
    cell: ({ fill_rate: share }) => <Share of={share ?? 0}>{percent(share)}</Share>,
  },
  {
    header: 'Now',
    cell: ({ is_broken: isBroken, absent_since: since }) => {
      if (isBroken) return <Status status="failed" word="lost" />;
      return since === null ? (
        <Status status="succeeded" word="as before" />
      ) : (
        <Status status="attention" word="not on the page" />
      );
    },
  },
  { header: 'Usual values', className: 'soft mono', title: usualValues, cell: usualValues },
];

function ParserFields({ parserId }: { parserId: string }) {
  const params = { parserId };
  const parser = useQuery(operationQuery('getParser', { params: { id: parserId } }));
  const query = useQuery(operationQuery('getParserHealth', { params: { id: parserId } }));
  return (
    <>
      <p className="row wrap">
        <Link to="/parsers/$parserId" params={params}>
          Open in the studio
        </Link>
        <Link to="/parsers/$parserId/samples" params={params}>
          Samples
        </Link>
        <Link to="/parsers/$parserId/versions" params={params}>
          Versions{parser.data && ` (now v${parser.data.version})`}
        </Link>
        <Link to="/parsers/$parserId/health" params={params}>
          Health and repair
        </Link>
      </p>
      <Loaded query={query} what="the fields">
        {({ hosts, days }) => {
          const current = hosts.filter(({ is_current: isCurrent }) => isCurrent);
          if (current.length === 0)
            return (
              <p className="soft">Once pages are read, each field is listed with how often it has a value.</p>
            );
          return current.map(({ host, version, pages, fields }) => (
            <section key={`${host} ${version}`} aria-label={host} className="stack tight">
              <h2>
                {host} <span className="soft small">{plural(pages, 'page')} read</span>
              </h2>
              <PlainTable
                label={`Fields on ${host}`}
                rows={inOrder(fields)}
                rowKey={({ path }) => path}
                columns={days.length < 2 ? COLUMNS : COLUMNS.toSpliced(2, 0, daysColumn(days))}
              />
            </section>
          ));
        }}
      </Loaded>
    </>
  );
}

/** The fields of a collection's pages by host, and how often each has a value. */
export function FieldsTab({ collection: { target } }: { collection: Collection }) {
  const parserId = parserIdOf(target);
  if (parserId === undefined)
    return (
      <Empty title="Its fields are fixed elsewhere">
        <p>
          It reads with <TargetLink target={target} />.
        </p>
      </Empty>
    );
  return (
    <div className="page-body padded stack loose">
      <ParserFields parserId={parserId} />
    </div>
  );
}
