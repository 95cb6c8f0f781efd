import { Fragment, type ReactNode } from 'react';

/** A name and its value; a fact without a value is left out. */
export type Fact = readonly [name: string, value: ReactNode];

/** What is known about one thing, beside it. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className="facts">
      {facts.map(
        ([name, value]) =>
          value !== undefined &&
          value !== false && (
            <Fragment key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </Fragment>
          ),
      )}
    </dl>
  );
}
