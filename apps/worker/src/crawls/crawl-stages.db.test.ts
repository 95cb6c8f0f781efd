import { findViolations } from '@gleaner/core/find-violations';
import { sendPage, type RequestHandler } from '@gleaner/fetching/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestWorker } from '../chunks/testing/chunk-harness.ts';
import { openCrawlWorld, type CrawlWorld } from './testing/crawl-world.ts';

/** Lists name products, products name their makers. */
const answer: RequestHandler = ({ url }, response) => {
  const [, kind = '', id = ''] = url.split('/');
  if (kind === 'robots.txt' || kind === 'sitemap.xml') response.writeHead(404).end();
  else if (kind === 'list') {
    sendPage(response, [1, 2, 3, 4].map((product) => `<a href="/product/${product}">x</a>`).join(''));
  } else if (kind === 'product') {
    const broken = id === '4' ? '' : `<h1>Product ${id}</h1>`;
    sendPage(response, `${broken}<a class="maker" href="/maker/${Number(id) % 2}">x</a>`);
  } else if (kind === 'tagged') {
    // Their later pages have no tags and no price.
    const more = isLater ? '' : '<p>12</p><ul class="tags"><li>old</li></ul>';
    sendPage(response, `<h1>Product ${id}</h1>${more}<a href="/tagged/2">x</a>`);
  } else sendPage(response, `<h1>Maker ${id}</h1>`);
};
let isLater = false;

const PRODUCT = {
  fields: { name: { css: 'h1', required: true }, maker: { css: 'a.maker@href', type: 'url' } },
};

let world: CrawlWorld;
let worker: TestWorker;
let parserId: string;
let makers: string;
let database: string;
beforeAll(async () => {
  world = await openCrawlWorld(answer);
  worker = await world.startWorker();
  const create = async (operation: string, body: object): Promise<string> =>
    ((await world.call(operation, { body })) as { id: string }).id;
  parserId = await create('createParser', { name: 'product', schema: PRODUCT });
  makers = await create('createParser', { name: 'maker', schema: { fields: { name: 'h1' } } });
  database = await create('createDatabase', { name: 'shop', kind: 'managed' });
});
afterAll(async () => {
  await worker.stop();
  await world.close();
});

async function rowsOf(table: string): Promise<Record<string, unknown>[]> {
  const { rows } = (await world.call('listRows', { params: { id: database, table } })) as {
    rows: Record<string, unknown>[];
  };
  return rows;
}

it('writes the rows of a route, and gives its results to further stages', async () => {
  const { origin } = world.site;
  const target = { type: 'parser', parserId };
  const workflow = (await world.call('createWorkflow', {
    body: {
      name: 'shop',
      stages: [
        {
          name: 'site',
          crawl: { sources: { sitemaps: false }, exclude: ['/maker/*'] },
          routes: [
            {
              name: 'products',
              match: '/product/*',
              target,
              sink: { mode: 'database', database, table: 'products' },
            },
          ],
        },
        {
          name: 'makers',
          target: { type: 'parser', parserId: makers },
          from: { stage: 'site', route: 'products', path: '$.maker' },
          sink: {
            mode: 'database',
            database,
            table: 'makers',
            carry: { product: '$.stages.site.products.name' },
          },
        },
      ],
    },
  })) as { id: string };
  const started = await world.start('createWorkflowRun', { urls: [`${origin}/list`] }, { id: workflow.id });
  const ended = await world.awaitEnd(started.id);
  expect(ended).toMatchObject({
    status: 'succeeded',
    stages: [
      {
        name: 'site',
        counts: { total: 5, succeeded: 5 },
        crawl: { routes: [{ name: 'products', mode: 'database', counts: { succeeded: 3, failed: 1 } }] },
      },
      { name: 'makers', crawl: null, counts: { total: 2, succeeded: 2 } },
    ],
  });
  const products = await rowsOf('products');
  expect(products.map(({ name }) => name).toSorted()).toEqual(['Product 1', 'Product 2', 'Product 3']);
  const written = await rowsOf('makers');
  expect(written.map(({ name }) => name).toSorted()).toEqual(['Maker 0', 'Maker 1']);
  expect(written.every(({ product }) => String(product).startsWith('Product'))).toBe(true);
  const failures = await world.call('getWorkflowRunFailures', { params: { id: started.id } });
  expect(failures).toMatchObject({ failures: [{ url: `${origin}/product/4`, detail: expect.any(String) }] });
  await expect(world.call('getWorkflowRunResults', { params: { id: started.id } })).rejects.toMatchObject({
    code: 'batch_writes_to_database',
  });
  expect(await findViolations(world.services.db)).toEqual([]);
  expect(world.faults).toEqual([]);
});

it('keeps the lists that later pages of a route lack, and says in how many rows', async () => {
  const fields = {
    name: 'h1',
    price: { css: 'p', type: 'integer' },
    tags: { css: '.tags li', take: 'all' },
  };
  const { id } = (await world.call('createParser', { body: { name: 'tagged', schema: { fields } } })) as {
    id: string;
  };
  const crawl = async () => {
    const started = await world.start('createCrawl', {
      start: [`${world.site.origin}/tagged/1`],
      crawl: { sources: { sitemaps: false } },
      routes: [
        {
          name: 'products',
          match: '/tagged/*',
          target: { type: 'parser', parserId: id },
          sink: { mode: 'database', database, table: 'tagged', key: ['name'], nulls: 'keep' },
        },
      ],
    });
    return world.awaitEnd(started.id);
  };
  expect(await crawl()).toMatchObject({ counts: { rows_kept: 0 } });
  isLater = true;
  expect(await crawl()).toMatchObject({
    counts: { succeeded: 2, rows_kept: 2 },
    stages: [{ counts: { rows_kept: 0 }, crawl: { routes: [{ counts: { succeeded: 2, rows_kept: 2 } }] } }],
  });
  const rows = await rowsOf('tagged');
  expect(rows.map(({ name, price, tags }) => [name, price, tags]).toSorted()).toEqual([
    ['Product 1', 12, ['old']],
    ['Product 2', 12, ['old']],
  ]);
});

it('retries by cause the failures of one stage alone', async () => {
  const { origin } = world.site;
  const { id: broken } = (await world.call('createParser', {
    body: { name: 'broken', schema: { fields: { name: { css: '.none', required: true } } } },
  })) as { id: string };
  const { id } = (await world.call('createWorkflow', {
    body: {
      name: 'two stages',
      stages: [
        { name: 'products', target: { type: 'parser', parserId } },
        {
          name: 'makers',
          target: { type: 'parser', parserId: broken },
          from: { stage: 'products', path: '$.maker' },
        },
      ],
    },
  })) as { id: string };
  const urls = [`${origin}/product/1`, `${origin}/product/4`];
  const started = await world.start('createWorkflowRun', { urls }, { id });
  expect(await world.awaitEnd(started.id)).toMatchObject({ counts: { total: 3, succeeded: 1, failed: 2 } });
  const { causes } = (await world.call('getWorkflowRunFailures', {
    params: { id: started.id },
    query: { stage: 'makers' },
  })) as { causes: { cause: string; count: number }[] };
  expect(causes).toMatchObject([{ count: 1 }]);
  const asked = world.site.requests.length;
  await world.call('retryWorkflowRun', {
    params: { id: started.id },
    body: { cause: causes[0]?.cause, stage: 'makers' },
  });
  await world.awaitEnd(started.id);
  expect(world.site.requests.slice(asked).map(({ url }) => url)).toEqual(['/maker/1']);
  const refusal = async (body: object): Promise<unknown> =>
    world.call('retryWorkflowRun', { params: { id: started.id }, body }).then(
      () => undefined,
      (error: unknown) => error,
    );
  for (const [body, code, field] of [
    [{ cause: 'no such cause' }, 'already_finished', 'cause'],
    [{ cause: causes[0]?.cause, stage: 'zz' }, 'invalid_request', 'stage'],
    [{ stage: 'zz' }, 'invalid_request', 'stage'],
  ] as const)
    expect(await refusal(body), JSON.stringify(body)).toMatchObject({ code, options: { field } });
});
