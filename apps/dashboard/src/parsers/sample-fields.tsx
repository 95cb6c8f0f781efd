import { Button, Checkbox } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call, operationQuery, useChange } from '../api/call.ts';
import { cellText } from '../format/format.ts';
import { tickBox } from '../parts/forms.tsx';
import { PlainTable } from '../parts/plain-table.tsx';
import { Failure, Loaded, Status } from '../parts/page.tsx';
import { sampleRows, withPin, type Pins, type SampleRow } from './pins.ts';

function Expected({ row: { isPinned, isSame, pinned } }: { row: SampleRow }) {
  if (!isPinned) return <span className="soft">anything</span>;
  if (isSame) return <Status status="succeeded" word="same as now" />;
  return <span className="bad-text">{cellText(pinned) || 'nothing'}</span>;
}

/** The fields of a sample: what the current version reads, and which values are pinned. */
export function SampleFields({ parserId, sampleId }: { parserId: string; sampleId: string }) {
  const params = { id: parserId, sample: sampleId };
  const query = useQuery(operationQuery('getParserSample', { params }));
  /** The pins that the boxes show until the server has answered. */
  const [asked, setAsked] = useState<Pins | undefined>();
  const pin = useChange(
    (expected: 'current' | Pins | null) => call('updateParserSample', { params, body: { expected } }),
    { stale: ['getParserSample', 'listParserSamples'] },
  );
  const pinOnly = (pins: Pins): void => {
    // The box changes within the event; otherwise React would set it back until the mutation is under way.
    setAsked(pins);
    pin.mutate(Object.keys(pins).length === 0 ? null : pins, { onSettled: () => setAsked(undefined) });
  };
  return (
    <section className="section stack" aria-label="Values of the sample">
      <Loaded query={query} what="the sample">
        {({ read, expected }) => {
          const pins = asked ?? expected ?? {};
          return (
            <>
              <div className="row wrap">
                <h2 className="grow">What it reads, and what it must</h2>
                <Button variant="default" loading={pin.isPending} onClick={() => pin.mutate('current')}>
                  Pin all as they are
                </Button>
                <Button variant="default" disabled={expected === null} onClick={() => pin.mutate(null)}>
                  Pin none
                </Button>
              </div>
              <p className="soft small">
                A version that reads a pinned value differently is refused unless you save it anyway.
              </p>
              <Failure error={pin.error} />
              <PlainTable
                label="Values, table"
                rows={sampleRows(read, pins)}
                rowKey={({ name }) => name}
                columns={[
                  { header: 'Field', cell: ({ name }) => name },
                  {
                    header: 'Reads now',
                    title: (row) => cellText(row.read),
                    cell: (row) => cellText(row.read) || <span className="soft">nothing</span>,
                  },
                  {
                    header: 'Pinned',
                    cell: ({ name, isPinned }) => (
                      <Checkbox
                        aria-label={`Pin ${name}`}
                        disabled={pin.isPending}
                        {...tickBox(isPinned, (isTicked) =>
                          pinOnly(withPin(pins, name, isTicked ? { value: read[name] } : undefined)),
                        )}
                      />
                    ),
                  },
                  {
                    header: 'Expected',
                    title: ({ pinned }) => cellText(pinned),
                    cell: (row) => <Expected row={row} />,
                  },
                ]}
              />
            </>
          );
        }}
      </Loaded>
    </section>
  );
}
