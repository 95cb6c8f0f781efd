import type { CrawlScope } from '@gleaner/contracts/values';
import { Button, NumberInput, Select, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { call } from '../api/call.ts';
import { shortUrl } from '../format/format.ts';
import { choicesOf } from '../parts/choices.ts';
import { Failure, Page } from '../parts/page.tsx';

const SOURCE_WORDS = {
  sitemaps: 'Its sitemaps alone, free',
  links: 'Its links too, for the price of the pages',
} satisfies Record<string, string>;

const SCOPE_WORDS = {
  host: 'This host',
  path: 'Below this folder',
  site: 'The whole site, with its other hosts',
  page: 'This page alone',
} satisfies Record<CrawlScope, string>;

/** An address without its scheme is one of https. */
function addressOf(text: string): string {
  return /^https?:\/\//i.test(text.trim()) ? text.trim() : `https://${text.trim()}`;
}

/** The first step of a crawl: one address, whose site is mapped. The map's page goes on. */
export function NewCrawlPage() {
  const navigate = useNavigate();
  const form = useForm({
    initialValues: {
      start: '',
      scope: 'host' as CrawlScope,
      sources: 'links',
      pages: 100 as number | string,
    },
  });
  const { start, scope, sources, pages } = form.values;
  const map = useMutation({
    mutationFn: () =>
      call('createMap', {
        body: {
          name: shortUrl(addressOf(start)).slice(0, 100),
          start: [addressOf(start)],
          crawl: { scope, sources: { links: sources === 'links' } },
          limits: { pages: Number(pages) },
        },
      }),
    onSuccess: ({ id }) => navigate({ to: '/crawls/$runId', params: { runId: id } }),
  });
  return (
    <Page title="New crawl" crumbs={[<Link to="/crawls">Crawls</Link>]} padded>
      <form className="form" onSubmit={form.onSubmit(() => map.mutate())}>
        <TextInput
          label="Where to begin"
          placeholder="https://shop.example/"
          data-autofocus
          {...form.getInputProps('start')}
        />
        <Select
          label="Stay on"
          data={choicesOf(SCOPE_WORDS)}
          allowDeselect={false}
          {...form.getInputProps('scope')}
        />
        <div className="row wrap bottom">
          <Select
            label="Find pages by"
            data={choicesOf(SOURCE_WORDS)}
            allowDeselect={false}
            w={320}
            {...form.getInputProps('sources')}
          />
          {sources === 'links' && (
            <NumberInput
              label="Pages at most"
              min={1}
              w={140}
              allowDecimal={false}
              {...form.getInputProps('pages')}
            />
          )}
        </div>
        <p className="soft small">
          First the site is mapped. Then you choose which pages are read with which parser.
        </p>
        <Failure error={map.error} />
        <div>
          <Button
            type="submit"
            size="sm"
            disabled={start.trim() === '' || Number(pages) < 1}
            loading={map.isPending}
          >
            Map the site
          </Button>
        </div>
      </form>
    </Page>
  );
}
