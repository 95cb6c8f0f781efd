import { expect, it } from 'vitest';
import {
  addStage,
  columnsOf,
  hasTarget,
  nameFault,
  replaceStage,
  sourcesOf,
  stageOfField,
  stagesOfRun,
  startInputs,
  withSink,
  withSources,
  type TargetStage,
  type WorkflowRun,
} from './stages.ts';

const parser = { type: 'parser' as const, parserId: 'prs_1' };
const STAGES: TargetStage[] = [
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

function firstOf(stages: readonly TargetStage[]): TargetStage {
  const [first] = stages;
  if (!first) throw new Error('there is no stage');
  return first;
}

it('places each stage to the right of those that it takes from', () => {
  expect(columnsOf(STAGES)).toEqual([0, 1, 2]);
  expect(sourcesOf(STAGES, 1)).toEqual([{ stage: 'list', path: '$.items[*].url' }]);
});

it('writes sources in their shortest form, and finds the stage of a fault', () => {
  const stage: TargetStage = { name: 'details', target: parser };
  expect(withSources(stage, [{ stage: 'list', path: '$.a', as: '' }]).from).toEqual({
    stage: 'list',
    path: '$.a',
  });
  expect(withSources(STAGES[0] ?? stage, [])).toEqual({ name: 'list', target: parser });
  expect(stageOfField('stages[1].from.path')).toBe(1);
  expect(stageOfField('name')).toBeUndefined();
});

function replaced(...parts: Parameters<typeof replaceStage>): TargetStage[] {
  return replaceStage(...parts).filter((stage) => hasTarget(stage));
}

it('follows a new name of a stage in the stages that take from it', () => {
  const [, details, sellers] = replaced(STAGES, 0, { ...firstOf(STAGES), name: 'pages' });
  expect(details?.from).toEqual({ stage: 'pages', path: '$.items[*].url' });
  expect(sellers?.from).toEqual([
    { stage: 'pages', path: '$.a' },
    { stage: 'details', path: '$.b' },
  ]);
  const [itself] = replaced(STAGES, 0, { ...firstOf(STAGES), name: 'pages' });
  expect(itself?.from).toEqual({ stage: 'pages', path: '$.next' });
});

it('adds a stage with a free name that follows the last', () => {
  const two: TargetStage[] = [{ name: 'stage_3', target: parser }, firstOf(STAGES)];
  expect(addStage(two, '$.links[*]').at(-1)).toEqual({
    name: 'stage_4',
    target: parser,
    from: { stage: 'list', path: '$.links[*]' },
  });
});

it('refuses names that another stage has, or that are none', () => {
  expect(nameFault(STAGES, 0)).toBeUndefined();
  expect(nameFault([...STAGES, firstOf(STAGES)], 3)).toBe('another stage has this name');
  expect(nameFault([{ name: 'List 1', target: parser }], 0)).toMatch(/lower-case letters/);
});

it('keeps the settings of a sink that the form does not show', () => {
  const sink = { mode: 'database', database: 'db_1', table: 'a', contract: 'freeze', nulls: 'write' };
  const stage = { ...firstOf(STAGES), sink } as TargetStage;
  expect(withSink(stage, { database: 'db_1', table: 'b' }).sink).toEqual({ ...sink, table: 'b' });
  const types = { price: 'numeric(10,2)' };
  const typed = withSink(stage, { database: 'db_1', table: 'b', types });
  expect(typed.sink).toEqual({ ...sink, table: 'b', types });
  expect(withSink(typed, { database: 'db_1', table: 'b' }).sink).toEqual({ ...sink, table: 'b' });
  expect(withSink(stage, { database: null, table: '' })).not.toHaveProperty('sink');
});

it('knows only the names of the stages when the workflow has changed since', () => {
  const run = { stages: [{ name: 'list' }, { name: 'old' }] } as WorkflowRun;
  expect(stagesOfRun(run, STAGES).map(({ name }) => name)).toEqual(['list', 'old']);
  const same = { stages: [{ name: 'list' }, { name: 'details' }] } as WorkflowRun;
  expect(stagesOfRun(same, STAGES)).toEqual(STAGES.slice(0, 2));
});

it('reads the inputs of a first stage', () => {
  expect(startInputs('https://a.example\n', false)).toEqual({ urls: ['https://a.example'] });
  const pasted = 'url,sku\nhttps://a.example,7';
  expect(startInputs(pasted, false)).toEqual({ urls: ['https://a.example'] });
  expect(startInputs(pasted, false, ['sku'])).toEqual({
    inputs: [{ url: 'https://a.example', sku: '7' }],
    carry: { sku: 'sku' },
  });
  expect(startInputs('{"id": 1}', true)).toEqual({ inputs: [{ id: 1 }] });
  expect(() => startInputs('id 1', true)).toThrow(SyntaxError);
});
