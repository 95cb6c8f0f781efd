import type { FieldObject } from '@gleaner/contracts';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Extractor } from '../extraction/extractor.ts';
import { DataTree } from './data-tree.tsx';
import { metasOf, scriptsOf } from './page-data.ts';

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
