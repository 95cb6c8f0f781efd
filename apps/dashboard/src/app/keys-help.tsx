import { Kbd, Modal } from '@mantine/core';
import { useDisclosure, useWindowEvent } from '@mantine/hooks';
import { ACCOUNT, WORK } from './places.ts';

const EVENT = 'gleaner-keys-help';

export function openKeysHelp(): void {
  dispatchEvent(new Event(EVENT));
}

const EVERYWHERE: readonly (readonly [string, string])[] = [
  ['⌘ K', 'Search and commands (Ctrl K)'],
  ['/', 'To the search field of the page'],
  ['j  k', 'Down and up in a table'],
  ['Enter', 'Open the row'],
  ['?', 'This list'],
];
const STUDIO: readonly (readonly [string, string])[] = [
  ['⌘ S', 'Save'],
  ['↑ ↓ ← →', 'In the page: parent, child, neighbours of the element'],
  ['Enter', 'In the page: pick the element'],
  ['Esc', 'Drop the selection'],
];

function Keys({ title, keys }: { title: string; keys: readonly (readonly [string, string])[] }) {
  return (
    <section>
      <h3>{title}</h3>
      <dl className="facts" style={{ marginTop: 8 }}>
        {keys.map(([key, about]) => (
          <div key={key + about} style={{ display: 'contents' }}>
            <dt>
              <Kbd>{key}</Kbd>
            </dt>
            <dd>{about}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** The list of keys behind `?`. */
export function KeysHelp() {
  const [opened, { open, close }] = useDisclosure(false);
  useWindowEvent(EVENT as keyof WindowEventMap, open);
  const places = [...WORK, ...ACCOUNT].map(({ key, label }) => [`g  ${key}`, label] as const);
  return (
    <Modal opened={opened} onClose={close} title="Keys" size="lg">
      <div style={{ display: 'grid', gridTemplateColumns: 'repeat(auto-fit, minmax(240px, 1fr))', gap: 24 }}>
        <Keys title="Everywhere" keys={EVERYWHERE} />
        <Keys title="Go to" keys={places} />
        <Keys title="Parser studio" keys={STUDIO} />
      </div>
    </Modal>
  );
}
