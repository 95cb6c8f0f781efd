import { useEffect, useRef, useState } from 'react';
import { call } from '../api/call.ts';
import { createExtractor, type Extractor } from './extraction/extractor.ts';
import type { KeptPage, Outcome } from './extraction/protocol.ts';
import type { Draft } from './schema/draft.ts';
import { readPages, removePage, storePage } from './pages/page-store.ts';
import { addSamples, openSample, type Sample } from './pages/sample-pages.ts';

export interface PagesState {
  pages: KeptPage[];
  isReady: boolean;
  /** Samples of the service that are not loaded; `select` opens one. */
  others: readonly Sample[];
  active: KeptPage | undefined;
  select: (pageId: string) => void;
  add: (page: KeptPage) => void;
  /** Takes the place of the page with its id. */
  update: (page: KeptPage) => Promise<void>;
  /** Removes the page, and the sample that it is. @throws GleanerError */
  remove: (page: KeptPage) => Promise<void>;
}

/**
 * The kept pages of a parser, also after the browser was closed; of a saved one its samples too, which the service
 * keeps for every browser.
 */
export function usePages(owner: string, parserId: string | undefined): PagesState {
  const [pages, setPages] = useState<KeptPage[]>([]);
  const [activeId, setActiveId] = useState<string | undefined>();
  const [isReady, setReady] = useState(false);
  const [others, setOthers] = useState<readonly Sample[]>([]);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const show = (found: readonly KeptPage[]): void => {
      if (signal.aborted) return;
      setPages((known) => [...found.filter(({ id }) => known.every((page) => page.id !== id)), ...known]);
      if (found.length > 0) setReady(true);
    };
    const read = async (): Promise<void> => {
      const found = await readPages(owner).catch(() => []);
      show(found);
      if (parserId === undefined) return;
      const rest = await addSamples(parserId, { owner, known: found, show, signal });
      if (!signal.aborted) setOthers(rest);
    };
    read()
      // A service that is away costs the samples: what this browser keeps is there.
      .catch(() => undefined)
      .finally(() => {
        if (!signal.aborted) setReady(true);
      });
    return () => controller.abort();
  }, [owner, parserId]);
  const add = (page: KeptPage): void => {
    setPages((known) => [...known, page]);
    setActiveId(page.id);
    // A full disk costs the page after a reload; until then it is here.
    storePage(owner, page).catch(() => undefined);
  };
  const select = (pageId: string): void => {
    setActiveId(pageId);
    const sample = others.find(({ id }) => id === pageId);
    if (sample === undefined || parserId === undefined) return;
    // A service that is away costs this page until it is chosen again.
    openSample(parserId, sample).then(
      (page) => {
        setOthers((known) => known.filter(({ id }) => id !== page.id));
        add(page);
      },
      () => undefined,
    );
  };
  const update = async (page: KeptPage): Promise<void> => {
    setPages((known) => known.map((one) => (one.id === page.id ? page : one)));
    await storePage(owner, page).catch(() => undefined);
  };
  const remove = async ({ id: pageId, sampleId: sample }: KeptPage): Promise<void> => {
    if (parserId !== undefined && sample !== undefined)
      await call('deleteParserSample', { params: { id: parserId, sample } });
    setPages((known) => known.filter(({ id }) => id !== pageId));
    await removePage(owner, pageId).catch(() => undefined);
  };
  return {
    pages,
    isReady,
    others,
    active: pages.find(({ id }) => id === activeId) ?? pages[0],
    select,
    add,
    update,
    remove,
  };
}

export interface ExtractionState {
  /** The last results; while the schema has faults, those of before. */
  outcome: Outcome | undefined;
  faults: Outcome['faults'];
  /** Why the engine itself failed and gave no results. */
  problem: string | undefined;
  extractor: Extractor | undefined;
}

/** Runs the schema over all kept pages, in the browser, whenever one of them changes. */
export function useExtraction(draft: Draft, pages: readonly KeptPage[]): ExtractionState {
  const [extractor, setExtractor] = useState<Extractor | undefined>();
  const [outcome, setOutcome] = useState<Outcome | undefined>();
  const [faults, setFaults] = useState<Outcome['faults']>([]);
  const [problem, setProblem] = useState<string | undefined>();
  const kept = useRef(new Set<string>());
  useEffect(() => {
    const made = createExtractor();
    kept.current = new Set();
    setExtractor(made);
    return () => made.close();
  }, []);
  useEffect(() => {
    if (!extractor) return;
    const ids = new Set(pages.map(({ id }) => id));
    for (const page of pages) if (!kept.current.has(page.id)) extractor.keep(page);
    for (const id of kept.current) if (!ids.has(id)) extractor.drop(id);
    kept.current = ids;
    if (pages.length === 0 || Object.keys(draft.fields).length === 0) {
      setOutcome(undefined);
      setFaults([]);
      return;
    }
    const run = async (): Promise<void> => {
      const made = await extractor.extract(draft);
      if (!made) return;
      setProblem(undefined);
      setFaults(made.faults);
      if (made.faults.length === 0) setOutcome(made);
    };
    run().catch((error: unknown) => setProblem(error instanceof Error ? error.message : String(error)));
  }, [extractor, draft, pages]);
  return { outcome, faults, problem, extractor };
}
