import type { CrawlScope } from '@gleaner/contracts/values';
import { NumberInput, Select, Textarea } from '@mantine/core';
import { faultAt, isShownAt } from '../api/problem.ts';
import { choicesOf } from '../parts/choices.ts';
import { Folded } from '../parts/folded.tsx';
import { Failure } from '../parts/page.tsx';
import { rulesWords, type RulesDraft } from './crawl-draft.ts';

const SCOPE_WORDS = {
  host: 'This host',
  path: 'Below this folder',
  site: 'The whole site, with its other hosts',
  page: 'This page alone',
} satisfies Record<CrawlScope, string>;

const IGNORING_WORDS = {
  nothing: 'is another page',
  all: 'is the same page',
  some: 'is the same page but for some parameters',
} satisfies Record<RulesDraft['ignoring'], string>;

interface RulesProps {
  draft: RulesDraft;
  onChange: (draft: RulesDraft) => void;
  /** The answer to the last try, which may refuse one of the rules. */
  error: unknown;
}

type Set = (change: Partial<RulesDraft>) => void;

interface LinesProps {
  label: string;
  description: string;
  placeholder: string;
  value: string;
  onChange: (text: string) => void;
  error: string | undefined;
}

/** Patterns, selectors or names, one a line. */
function Lines({ onChange, ...field }: LinesProps) {
  return (
    <Textarea
      {...field}
      autosize
      minRows={1}
      maxRows={8}
      classNames={{ input: 'mono' }}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

function QueryFields({ draft, set, error }: { draft: RulesDraft; set: Set; error: unknown }) {
  return (
    <>
      <Select
        label="The same address with another ?query"
        data={choicesOf(IGNORING_WORDS)}
        allowDeselect={false}
        value={draft.ignoring}
        error={draft.ignoring === 'some' ? undefined : faultAt(error, 'crawl.ignore_query')}
        onChange={(ignoring) => set({ ignoring: ignoring ?? 'nothing' })}
      />
      {draft.ignoring === 'some' && (
        <Lines
          label="Parameters that don’t matter"
          description="One a line. Those that only track visitors are left out anyway."
          placeholder="sort"
          value={draft.ignored}
          error={faultAt(error, 'crawl.ignore_query')}
          onChange={(ignored) => set({ ignored })}
        />
      )}
    </>
  );
}

/** Where the crawl may go at all. */
export function ScopeSelect({ draft, onChange, error }: RulesProps) {
  return (
    <Select
      label="Stay on"
      data={choicesOf(SCOPE_WORDS)}
      allowDeselect={false}
      value={draft.scope}
      error={faultAt(error, 'crawl.scope')}
      onChange={(scope) => onChange({ ...draft, scope: scope ?? 'host' })}
    />
  );
}

const SOURCE_WORDS = {
  sitemaps: 'Its sitemaps alone',
  links: 'Its links too',
};

/** Where the crawl learns of pages. */
export function SourceSelect({ draft, onChange, error }: RulesProps) {
  return (
    <Select
      label="Find pages by"
      data={choicesOf(SOURCE_WORDS)}
      allowDeselect={false}
      className="grow"
      value={draft.links ? 'links' : 'sitemaps'}
      error={faultAt(error, 'crawl.sources')}
      onChange={(chosen) => onChange({ ...draft, links: chosen === 'links' })}
    />
  );
}

const FOLDED = ['crawl.include', 'crawl.exclude', 'crawl.next', 'crawl.depth', 'crawl.ignore_query'];

const SHOWN = [...FOLDED, 'crawl.scope', 'crawl.sources', 'start', 'routes', 'limits.pages', 'scrape_config'];

/** A refusal that no field of a crawl's form shows. */
export function CrawlFailure({ error }: { error: unknown }) {
  return isShownAt(error, SHOWN) ? null : <Failure error={error} />;
}

/** Which pages of the site are read, folded until somebody wants to know. */
export function RuleFields({ draft, onChange, error }: RulesProps) {
  const set: Set = (change) => onChange({ ...draft, ...change });
  return (
    <Folded
      title="Which pages"
      note={rulesWords(draft) || 'all that links lead to'}
      isFaulty={FOLDED.some((field) => faultAt(error, field) !== undefined)}
    >
      <Lines
        label="Only addresses such as"
        description="A path or an address a line; * stands for anything."
        placeholder="/product/*"
        value={draft.include}
        error={faultAt(error, 'crawl.include')}
        onChange={(include) => set({ include })}
      />
      <Lines
        label="Never addresses such as"
        description="They win over the ones above."
        placeholder="/calendar/*"
        value={draft.exclude}
        error={faultAt(error, 'crawl.exclude')}
        onChange={(exclude) => set({ exclude })}
      />
      <Lines
        label="Links to the next page of a list"
        description="A CSS selector a line. However long the list is, they add no depth."
        placeholder="a.next"
        value={draft.next}
        error={faultAt(error, 'crawl.next')}
        onChange={(next) => set({ next })}
      />
      <NumberInput
        label="Most links between the start and a page"
        placeholder="5"
        min={0}
        allowDecimal={false}
        w={320}
        value={draft.depth}
        error={faultAt(error, 'crawl.depth')}
        onChange={(depth) => set({ depth: depth === '' ? '' : Number(depth) })}
      />
      <QueryFields {...{ draft, set, error }} />
    </Folded>
  );
}
