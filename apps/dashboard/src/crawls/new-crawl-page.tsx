import type { ScrapeConfig } from '@gleaner/client';
import { priceOf } from '@gleaner/contracts/values';
import { Button, Checkbox, NumberInput, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { call } from '../api/call.ts';
import { faultAt } from '../api/problem.ts';
import { FetchFields } from '../fetching/fetch-fields.tsx';
import { plural, shortUrl } from '../format/format.ts';
import { Page } from '../parts/page.tsx';
import { NEW_RULES, rulesOf, type RulesDraft } from './crawl-draft.ts';
import { CrawlFailure, RuleFields, ScopeSelect, SourceSelect } from './crawl-rules.tsx';

/** An address without its scheme is one of https. */
function addressOf(text: string): string {
  return /^https?:\/\//i.test(text.trim()) ? text.trim() : `https://${text.trim()}`;
}

const NEW = {
  start: '',
  rules: NEW_RULES,
  config: {} as ScrapeConfig,
  pages: 100 as number | '',
  keeps: true,
};
type Draft = typeof NEW;

function bodyOf({ start, rules, config, pages, keeps }: Draft) {
  return {
    name: shortUrl(addressOf(start)).slice(0, 100),
    start: [addressOf(start)],
    crawl: rulesOf(rules),
    scrape_config: config,
    limits: { pages: Number(pages) },
    keep_pages: keeps ? ('all' as const) : ('none' as const),
  };
}

/** The most that a map costs, on its button. */
function priceWords({ rules, config, pages }: Draft): string {
  return rules.sources === 'links'
    ? ` for at most ${plural(Number(pages) * priceOf(config), 'credit')}`
    : ', free';
}

/** The first step of a crawl: one address, whose site is mapped. The map's page goes on. */
export function NewCrawlPage() {
  const navigate = useNavigate();
  const form = useForm({ initialValues: NEW });
  const { start, rules, config, pages } = form.values;
  const map = useMutation({
    mutationFn: () => call('createMap', { body: bodyOf(form.values) }),
    onSuccess: ({ id }) => navigate({ to: '/crawls/$runId', params: { runId: id } }),
  });
  const rulesProps = {
    draft: rules,
    onChange: (next: RulesDraft) => form.setFieldValue('rules', next),
    error: map.error,
  };
  return (
    <Page title="New crawl" crumbs={[<Link to="/crawls">Crawls</Link>]} padded>
      <form className="form" onSubmit={form.onSubmit(() => map.mutate())}>
        <TextInput
          label="Where to begin"
          placeholder="https://shop.example/"
          data-autofocus
          {...form.getInputProps('start')}
          error={faultAt(map.error, 'start')}
        />
        <ScopeSelect {...rulesProps} />
        <div className="row wrap top">
          <SourceSelect {...rulesProps} />
          {rules.sources === 'links' && (
            <NumberInput
              label="Pages at most"
              min={1}
              w={140}
              allowDecimal={false}
              {...form.getInputProps('pages')}
              error={faultAt(map.error, 'limits.pages')}
            />
          )}
        </div>
        {rules.sources === 'links' && (
          <Checkbox
            label="Keep its pages for 7 days"
            description="Rows are made of them without reading a page twice."
            {...form.getInputProps('keeps', { type: 'checkbox' })}
          />
        )}
        <RuleFields {...rulesProps} />
        <FetchFields
          config={config}
          onChange={(next) => form.setFieldValue('config', next)}
          error={map.error}
          withRobots={false}
          otherwise="over plain HTTP"
        />
        <p className="soft small">
          First the site is mapped. Then you choose which pages are read with which parser.
        </p>
        <CrawlFailure error={map.error} />
        <div>
          <Button
            type="submit"
            size="sm"
            disabled={start.trim() === '' || Number(pages) < 1}
            loading={map.isPending}
          >
            Map the site{priceWords(form.values)}
          </Button>
        </div>
      </form>
    </Page>
  );
}
