import { skipToken, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { KeptPage } from '../extraction/protocol.ts';
import { setField } from '../schema/draft.ts';
import { freeName, toFieldName } from '../schema/names.ts';
import type { StudioState } from '../use-studio-state.ts';
import { DataTree } from './data-tree.tsx';

const JSON_SCRIPTS = 'script[type="application/json"], script#__NEXT_DATA__, script#__NUXT_DATA__';
const MAX_SCRIPTS = 20;

/** Selectors of the scripts that hold JSON. */
function scriptsOf(page: Document): string[] {
  return [...page.querySelectorAll(JSON_SCRIPTS)]
    .flatMap(({ id }, index) => {
      if (id !== '') return [`script#${CSS.escape(id)}`];
      return index === 0 ? ['script[type="application/json"]'] : [];
    })
    .slice(0, MAX_SCRIPTS);
}

/** The names and contents of the meta elements, each name once. */
function metasOf(page: Document): { name: string; content: string }[] {
  const found = new Map<string, string>();
  for (const meta of page.querySelectorAll('meta[content]')) {
    const name = meta.getAttribute('property') ?? meta.getAttribute('name');
    if (name && name !== 'viewport' && !found.has(name)) found.set(name, meta.getAttribute('content') ?? '');
  }
  return [...found].map(([name, content]) => ({ name, content }));
}

/** The data that a page carries, read in the browser. */
export function PageDataTree({ studio, page }: { studio: StudioState; page: KeptPage }) {
  const { extractor, document, draft, change, select } = studio;
  const data = useQuery({
    queryKey: ['page-data', page.id],
    queryFn: document ? () => extractor.ask('readData', page.id, scriptsOf(document)) : skipToken,
    staleTime: Infinity,
  });
  const metas = useMemo(() => (document ? metasOf(document) : []), [document]);
  return (
    <DataTree
      data={data.data}
      metas={metas}
      onPick={(text, field) => {
        const name = freeName(toFieldName(text) ?? 'field', Object.keys(draft.fields));
        change(setField(draft, [name], field));
        select([name]);
      }}
    />
  );
}
