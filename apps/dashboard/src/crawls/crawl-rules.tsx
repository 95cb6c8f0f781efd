import type { CrawlScope } from '@gleaner/contracts/values';
import { NumberInput, Textarea } from '@mantine/core';
import { faultAt, isShownAt } from '../api/problem.ts';
import { Folded } from '../parts/folded.tsx';
import { Choice, textInput } from '../parts/forms.tsx';
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

const SOURCE_WORDS = {
  sitemaps: 'Its sitemaps alone',
  links: 'Its links too',
} satisfies Record<RulesDraft['sources'], string>;

interface RulesProps {
  draft: RulesDraft;
  onChange: (draft: RulesDraft) => void;
  /** The answer to the last try, which may refuse one of the rules. */
  error: unknown;
}

interface LinesProps extends RulesProps {
  name: 'include' | 'exclude' | 'next' | 'ignored';
  label: string;
  description: string;
  placeholder: string;
  /** As the service names it. Default: its name. */
  field?: string;
}

/** Patterns, selectors or names, one a line. */
function Lines({ draft, onChange, error, name, field = `crawl.${name}`, ...texts }: LinesProps) {
  return (
    <Textarea
      {...texts}
      autosize
      minRows={1}
      maxRows={8}
      classNames={{ input: 'mono' }}
      {...textInput(draft[name], (text) => onChange({ ...draft, [name]: text }))}
      error={faultAt(error, field)}
    />
  );
}

/** Where the crawl may go at all. */
export function ScopeSelect({ draft, onChange, error }: RulesProps) {
  return (
    <Choice
      label="Stay on"
      words={SCOPE_WORDS}
      value={draft.scope}
      error={faultAt(error, 'crawl.scope')}
      onChange={(scope) => onChange({ ...draft, scope })}
    />
  );
}

/** Where the crawl learns of pages. */
export function SourceSelect({ draft, onChange, error }: RulesProps) {
  return (
    <Choice
      label="Find pages by"
      words={SOURCE_WORDS}
      className="grow"
      value={draft.sources}
      error={faultAt(error, 'crawl.sources')}
      onChange={(sources) => onChange({ ...draft, sources })}
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
export function RuleFields(rules: RulesProps) {
  const { draft, onChange, error } = rules;
  return (
    <Folded
      title="Which pages"
      note={rulesWords(draft) || 'all that links lead to'}
      isFaulty={FOLDED.some((field) => faultAt(error, field) !== undefined)}
    >
      <Lines
        {...rules}
        name="include"
        label="Only addresses such as"
        description="A path or an address a line; * stands for anything."
        placeholder="/product/*"
      />
      <Lines
        {...rules}
        name="exclude"
        label="Never addresses such as"
        description="They win over the ones above."
        placeholder="/calendar/*"
      />
      <Lines
        {...rules}
        name="next"
        label="Links to the next page of a list"
        description="A CSS selector a line. However long the list is, they add no depth."
        placeholder="a.next"
      />
      <NumberInput
        label="Most links between the start and a page"
        placeholder="5"
        min={0}
        allowDecimal={false}
        w={320}
        value={draft.depth}
        error={faultAt(error, 'crawl.depth')}
        onChange={(depth) => onChange({ ...draft, depth: depth === '' ? '' : Number(depth) })}
      />
      <Choice
        label="The same address with another ?query"
        words={IGNORING_WORDS}
        value={draft.ignoring}
        error={draft.ignoring === 'some' ? undefined : faultAt(error, 'crawl.ignore_query')}
        onChange={(ignoring) => onChange({ ...draft, ignoring })}
      />
      {draft.ignoring === 'some' && (
        <Lines
          {...rules}
          name="ignored"
          label="Parameters that don’t matter"
          description="One a line. Those that only track visitors are left out anyway."
          placeholder="sort"
          field="crawl.ignore_query"
        />
      )}
    </Folded>
  );
}
