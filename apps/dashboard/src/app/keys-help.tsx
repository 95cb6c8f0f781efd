import { Kbd, Modal } from '@mantine/core';
import { Fragment } from 'react';
import styles from './frame.module.css';
import { MOD_KEY } from './mod-key.ts';
import { PLACES } from './places.ts';

const EVERYWHERE: readonly (readonly [string, string])[] = [
  [`${MOD_KEY} K`, 'Search and commands'],
  ['/', 'Go to the search field'],
  ['j  k', 'Down and up in a table'],
  ['Enter', 'Open the row'],
  ['?', 'This list'],
];
const STUDIO: readonly (readonly [string, string])[] = [
  [`${MOD_KEY} S`, 'Save'],
  ['↑ ↓ ← →', 'In the page: parent, child, neighbours of the element'],
  ['Enter', 'In the page: pick the element'],
  ['Esc', 'Clear the selection'],
];

function Keys({ title, keys }: { title: string; keys: readonly (readonly [string, string])[] }) {
  return (
    <section className="stack tight">
      <h3>{title}</h3>
      <dl className="facts">
        {keys.map(([key, about]) => (
          <Fragment key={key + about}>
            <dt>
              <Kbd>{key}</Kbd>
            </dt>
            <dd>{about}</dd>
          </Fragment>
        ))}
      </dl>
    </section>
  );
}

/** The list of keys behind `?`. */
export function KeysHelp({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const places = PLACES.map(({ key, label }) => [`g  ${key}`, label] as const);
  return (
    <Modal opened={opened} onClose={onClose} title="Keys" size="lg">
      <div className={styles.keys}>
        <Keys title="Everywhere" keys={EVERYWHERE} />
        <Keys title="Go to" keys={places} />
        <Keys title="Parser studio" keys={STUDIO} />
      </div>
    </Modal>
  );
}
