import { expect, it } from 'vitest';
import { columnsOf, sourcesOf, stageOfField, withSources, type Stage } from './stages.ts';

const parser = { type: 'parser' as const, parserId: 'prs_1' };
const STAGES: Stage[] = [
  { name: 'list', target: parser, from: { stage: 'list', path: '$.next' } },
  { name: 'details', target: parser, from: { path: '$.items[*].url' } },
  {
    name: 'sellers',
    target: parser,
    from: [
      { stage: 'list', path: '$.a' },
      { stage: 'details', path: '$.b' },
    ],
  },
];

it('places each stage to the right of those that it takes from', () => {
  expect(columnsOf(STAGES)).toEqual([0, 1, 2]);
  expect(sourcesOf(STAGES, 1)).toEqual([{ stage: 'list', path: '$.items[*].url' }]);
});

it('writes sources in their shortest form, and finds the stage of a fault', () => {
  const stage: Stage = { name: 'details', target: parser };
  expect(withSources(stage, [{ stage: 'list', path: '$.a', as: '' }]).from).toEqual({
    stage: 'list',
    path: '$.a',
  });
  expect(withSources(STAGES[0] ?? stage, [])).toEqual({ name: 'list', target: parser });
  expect(stageOfField('stages[1].from.path')).toBe(1);
  expect(stageOfField('name')).toBeUndefined();
});
