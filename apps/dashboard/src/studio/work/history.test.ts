import { expect, it } from 'vitest';
import { advance, beginHistory, redo, undo, type History, type Work } from './history.ts';

function work(title: string): Work {
  return { name: 'shop', draft: { fields: { title } }, config: {} };
}

function type(history: History, texts: readonly string[], startedAt: number): History {
  return texts.reduce((state, text, index) => advance(state, work(text), startedAt + index * 100), history);
}

it('undoes what was typed in one go as one edit, and brings it back', () => {
  const start = advance(beginHistory(work('')), work('h1 b'), 0);
  const typed = type(start, ['h1 ', 'h1', 'h', '', '.', '.n', '.na', '.nam', '.name'], 1_000);
  const undone = undo(typed);
  expect(undone.now).toEqual(work('h1 b'));
  expect(redo(undone).now).toEqual(work('.name'));
  expect(undo(undone).now).toEqual(work(''));
  expect(undo(undo(undone)).now).toEqual(work(''));
});

it('keeps edits apart that a pause or another change lies between', () => {
  const first = type(beginHistory(work('')), ['a', 'ab'], 0);
  const later = type(first, ['abc', 'abcd'], 10_000);
  expect(undo(later).now).toEqual(work('ab'));
  const pasted = advance(first, work('ab .price'), 300);
  expect(undo(advance(pasted, work('ab .prices'), 400)).now).toEqual(work('ab .price'));
});

it('forgets what was undone once there is another change', () => {
  const undone = undo(advance(beginHistory(work('h1')), work('h2'), 0));
  expect(redo(advance(undone, work('h3'), 10_000)).now).toEqual(work('h3'));
});
