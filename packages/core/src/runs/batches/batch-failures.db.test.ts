import { afterAll, expect, it } from 'vitest';
import { submitTestRun, testUrls } from '../../testing/submit-test-run.ts';
import { createTestAccount, openTestServices, testContext } from '../../testing/test-services.ts';
import { getBatchFailures } from './batch-failures.ts';

const opened = await openTestServices();
afterAll(opened.close);

/** The causes of a batch with inputs that failed with these details of `fetch_failed`. */
async function causesOf(details: readonly string[]) {
  const { services } = opened;
  const { accountId } = await createTestAccount(services, { credits: 1_000 });
  const { id, no } = await submitTestRun(services, accountId, testUrls(details.length));
  await services.db.sql`
    INSERT INTO gleaner.results (run_no, seq, credits, attempts, ok, error)
    SELECT ${no}, d.place - 1, 0, 1, false, jsonb_build_object('code', 'fetch_failed', 'detail', d.detail, 'hint', 'Look.')
    FROM unnest(${details}::text[]) WITH ORDINALITY d (detail, place)`;
  const { causes, failures } = await getBatchFailures(testContext(services, accountId), {
    params: { id },
    query: { limit: 1, cursor: undefined },
    body: undefined,
    upload: undefined,
  });
  expect([failures[0]?.hint, causes?.[0]?.example.hint]).toEqual(['Look.', 'Look.']);
  return causes?.map(({ count, example }) => [count, example.detail]);
}

it('groups failures of one code by reason, ignoring details of the input', async () => {
  const causes = await causesOf([
    'the target answered with status 404',
    'the target answered with status 500',
    'the target answered with status 404',
    'the connection was closed',
    'no turn at shop.one.example comes in time',
    'no turn at two.example comes in time',
    'http://a.test/1 redirects 11 times',
    'http://b.test/2?x=3 redirects 12 times',
    'no turn at three.example comes in time',
  ]);
  expect(causes).toEqual([
    [3, 'no turn at shop.one.example comes in time'],
    [2, 'the target answered with status 404'],
    [2, 'http://a.test/1 redirects 11 times'],
    [1, 'the target answered with status 500'],
    [1, 'the connection was closed'],
  ]);
});

it('counts causes beyond fifty together, so that the counts cover all failures', async () => {
  const word = (place: number): string => String.fromCodePoint(0x4e00 + place);
  const causes = await causesOf(Array.from({ length: 200 }, (_, place) => word(place)));
  expect(causes).toHaveLength(51);
  expect(causes?.[0]).toEqual([150, word(50)]);
});

it('the example of a cause has the parameters of a prebuilt API’s input', async () => {
  const { services } = opened;
  const { accountId } = await createTestAccount(services, { credits: 10 });
  const { id, no } = await submitTestRun(services, accountId, ['{"video_id":"abc"}'], {
    target: { type: 'api', id: 'videosite-video' },
  });
  await services.db.sql`
    INSERT INTO gleaner.results (run_no, seq, credits, attempts, ok, error)
    VALUES (${no}, 0, 0, 1, false, '{"code": "target_not_found"}')`;
  const { causes } = await getBatchFailures(testContext(services, accountId), {
    params: { id },
    query: { limit: 1, cursor: undefined },
    body: undefined,
    upload: undefined,
  });
  expect(causes?.map(({ example }) => example)).toEqual([
    { url: '/v1/videosite-video?video_id=abc', input: { video_id: 'abc' } },
  ]);
});
