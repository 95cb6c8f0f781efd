import { TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { operationQuery } from '../api/call.ts';
import { plural } from '../format/format.ts';
import { textInput } from '../parts/forms.tsx';
import { IconSearch } from '../parts/icons.ts';
import { Prose } from '../parts/prose.tsx';
import { Page, Empty, Loaded } from '../parts/page.tsx';
import styles from './apis-page.module.css';

/** `photoapp-profile` belongs to the site `photoapp`. */
function siteOf(id: string): string {
  return id.split('-', 1)[0] ?? id;
}

/** The prebuilt APIs, by site. */
export function ApisPage() {
  const query = useQuery({ ...operationQuery('listApis', {}), staleTime: Infinity });
  const [text, setText] = useState('');
  const wanted = text.trim().toLowerCase();
  return (
    <Page
      title="APIs"
      aside={<span className="soft small">Fixed shapes for well-known sites, no parser needed</span>}
      padded
      filters={
        <TextInput
          aria-label="Search"
          placeholder="Search"
          leftSection={<IconSearch size={14} />}
          {...textInput(text, setText)}
          w={240}
          data-search
        />
      }
    >
      <Loaded query={query} what="the catalogue">
        {({ apis }) => {
          const found = apis.filter(({ name, description, id }) =>
            `${name} ${description} ${id}`.toLowerCase().includes(wanted),
          );
          if (found.length === 0) return <Empty title="No APIs match" />;
          return [...Map.groupBy(found, ({ id }) => siteOf(id))].map(([site, group]) => (
            <section key={site} className={`section ${styles.site}`}>
              <h2>{site}</h2>
              <ul className={styles.catalogue}>
                {group.map(({ id, name, description, credits }) => (
                  <li key={id}>
                    <Link to="/apis/$apiId" params={{ apiId: id }}>
                      <span className="row">
                        <strong className="grow">{name}</strong>
                        <span className="small soft">{plural(credits, 'credit')}</span>
                      </span>
                      <span className="small soft">
                        <Prose text={description} />
                      </span>
                    </Link>
                  </li>
                ))}
              </ul>
            </section>
          ));
        }}
      </Loaded>
    </Page>
  );
}
