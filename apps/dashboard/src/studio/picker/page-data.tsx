import type { FieldObject } from '@gleaner/contracts';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Extractor } from '../extraction/extractor.ts';
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

interface PageDataTreeProps {
  extractor: Extractor | undefined;
  pageId: string;
  document: Document | undefined;
  onPick: (name: string, field: FieldObject) => void;
}

/** The data that a page carries, read in the browser. */
export function PageDataTree({ extractor, pageId, document, onPick }: PageDataTreeProps) {
  const data = useQuery({
    queryKey: ['page-data', pageId],
    queryFn: () => {
      if (!extractor || !document) throw new Error('the page is not there yet');
      return extractor.readData(pageId, scriptsOf(document));
    },
    enabled: extractor !== undefined && document !== undefined,
    staleTime: Infinity,
  });
  const metas = useMemo(() => (document ? metasOf(document) : []), [document]);
  return <DataTree data={data.data} metas={metas} onPick={onPick} />;
}
