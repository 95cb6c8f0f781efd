import { useEffect, useState } from 'react';
import { call } from '../api/call.ts';
import { createExtractor } from './extraction/extractor.ts';
import type { KeptPage, Outcome } from './extraction/protocol.ts';
import type { Draft } from './schema/draft.ts';
import { readPages, removePage, storePage } from './pages/page-store.ts';
import { openSample, type Sample } from './pages/sample-pages.ts';

/** Samples that are loaded when a parser is opened: the latest, of at most 50. The others are offered by name. */
const LOADED_SAMPLES = 10;

export type PagesState = ReturnType<typeof usePages>;

/**
 * The kept pages of a parser, also after the browser was closed; of a saved one its samples too, which the service
 * keeps for every browser.
 */
export function usePages(owner: string, parserId: string | undefined) {
  const [pages, setPages] = useState<readonly KeptPage[]>([]);
  const [activeId, setActiveId] = useState<string | undefined>();
  const [isReady, setReady] = useState(false);
  const [others, setOthers] = useState<readonly Sample[]>([]);
  // A full disk costs the page after a reload; until then it is here.
  const store = (page: KeptPage): Promise<void> => storePage(owner, page).catch(() => undefined);
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
      const { samples } = await call('listParserSamples', { params: { id: parserId } }, { signal });
      const isMissing = ({ id }: Sample): boolean => found.every(({ sampleId }) => sampleId !== id);
      for (const sample of samples.slice(0, LOADED_SAMPLES).filter(isMissing)) {
        const page = await openSample(parserId, sample, signal);
        show([page]);
        await storePage(owner, page).catch(() => undefined);
      }
      if (!signal.aborted) setOthers(samples.slice(LOADED_SAMPLES).filter(isMissing));
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
    void store(page);
  };
  return {
    pages,
    isReady,
    /** Samples of the service that are not loaded; `select` opens one. */
    others,
    active: pages.find(({ id }) => id === activeId) ?? pages[0],
    add,
    select: (pageId: string): void => {
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
    },
    /** Takes the place of the page with its id. */
    update: async (page: KeptPage): Promise<void> => {
      setPages((known) => known.map((one) => (one.id === page.id ? page : one)));
      await store(page);
    },
    /** Removes the page, and the sample that it is. @throws GleanerError */
    remove: async ({ id: pageId, sampleId: sample }: KeptPage): Promise<void> => {
      if (parserId !== undefined && sample !== undefined)
        await call('deleteParserSample', { params: { id: parserId, sample } });
      setPages((known) => known.filter(({ id }) => id !== pageId));
      await removePage(owner, pageId).catch(() => undefined);
    },
  };
}

interface ExtractionState {
  /** The last results; while the schema has faults, those of before. */
  outcome?: Outcome | undefined;
  faults: Outcome['faults'];
  /** Why the engine itself failed and gave no results. */
  problem?: string;
}

const NOTHING: ExtractionState = { faults: [] };

/** Runs the schema over all kept pages, in the browser, whenever one of them changes. */
export function useExtraction(draft: Draft, pages: readonly KeptPage[]) {
  const [extractor] = useState(createExtractor);
  const [state, setState] = useState(NOTHING);
  useEffect(() => extractor.close, [extractor]);
  useEffect(() => extractor.keep(pages), [extractor, pages]);
  useEffect(() => {
    if (pages.length === 0 || Object.keys(draft.fields).length === 0) {
      setState(NOTHING);
      return;
    }
    extractor.extract(draft).then(
      (made) => {
        if (!made) return;
        const { faults } = made;
        setState(({ outcome }) => ({ outcome: faults.length === 0 ? made : outcome, faults }));
      },
      (error: unknown) => {
        const problem = error instanceof Error ? error.message : String(error);
        setState((before) => ({ ...before, problem }));
      },
    );
  }, [extractor, draft, pages]);
  return { ...state, extractor };
}
