import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { plural, shortHost } from '../../format/format.ts';
import { IconTrash } from '../../parts/icons.ts';
import { When } from '../../parts/when.tsx';
import { RowMenu } from '../../parts/row-menu.tsx';
import { keepUnsaved, readUnsaved, workKeyOf } from '../work/unsaved.ts';
import { readUnsavedPages, removePages } from './page-store.ts';
import styles from './pages.module.css';

/** Parsers that were begun in this browser and never saved, by name. */
export function UnsavedParsers({ accountId }: { accountId: string }) {
  const client = useQueryClient();
  const queryKey = ['unsaved', accountId];
  const query = useQuery({ queryKey, queryFn: () => readUnsavedPages(accountId), gcTime: 0 });
  if (!query.data || query.data.length === 0) return null;
  const discard = async (draft: string): Promise<void> => {
    keepUnsaved(workKeyOf(`${accountId}/${draft}`), undefined);
    await removePages(`${accountId}/${draft}`);
    await client.invalidateQueries({ queryKey });
  };
  return (
    <section aria-label="Not saved yet">
      <p className="soft">Or go on with one that isn’t saved:</p>
      <ul className={styles.unsaved}>
        {query.data.map(({ draft, pages }) => {
          const work = readUnsaved(workKeyOf(`${accountId}/${draft}`));
          const name = work?.name || shortHost(pages[0]?.url ?? '') || 'pasted page';
          const fields = plural(Object.keys(work?.draft.fields ?? {}).length, 'field');
          const count = plural(pages.length, 'page');
          return (
            <li key={draft} className="row">
              <Link to="/parsers/new" search={{ draft }}>
                {name}
              </Link>
              <span className="soft small grow">
                {fields}, {count}
              </span>
              <span className="soft small">
                <When at={pages.at(-1)?.fetchedAt ?? null} />
              </span>
              <RowMenu
                name={name}
                actions={[
                  {
                    label: 'Discard',
                    icon: IconTrash,
                    isRed: true,
                    confirm: {
                      title: `Discard ${name}`,
                      action: 'Discard it',
                      run: () => discard(draft),
                      children: `Its ${fields} and ${count} are deleted. Opening a page again costs credits.`,
                    },
                  },
                ]}
              />
            </li>
          );
        })}
      </ul>
    </section>
  );
}
