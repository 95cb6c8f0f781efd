import { expect, it } from 'vitest';
import { describeElement, neighbourOf } from './elements.ts';

interface Node {
  name: string;
  parentElement: Node | null;
  firstElementChild: Node | null;
  nextElementSibling: Node | null;
  previousElementSibling: Node | null;
}

function node(name: string, parent: Node | null): Node {
  const rest = { firstElementChild: null, nextElementSibling: null, previousElementSibling: null };
  return { name, parentElement: parent, ...rest };
}

it('describes an element by its name, two classes and its first text', () => {
  const element = { localName: 'a', id: 'buy', classList: ['x', 'y', 'z'], textContent: '  Buy \n now ' };
  expect(describeElement(element)).toBe('a#buy.x.y · Buy now');
  expect(describeElement({ ...element, id: '', classList: [], textContent: 'x'.repeat(100) })).toHaveLength(
    84,
  );
});

it('moves with the arrow keys and never above the body', () => {
  const body = node('body', node('html', null));
  const first = node('p', body);
  const second = node('p', body);
  body.firstElementChild = first;
  first.nextElementSibling = second;
  second.previousElementSibling = first;
  expect(neighbourOf(body, 'ArrowUp', body)).toBe(body);
  expect(neighbourOf(body, 'ArrowDown', body)).toBe(first);
  expect(neighbourOf(first, 'ArrowRight', body)).toBe(second);
  expect(neighbourOf(second, 'ArrowLeft', body)).toBe(first);
  expect(neighbourOf(first, 'ArrowUp', body)).toBe(body);
  expect(neighbourOf(second, 'ArrowRight', body)).toBeNull();
  expect(neighbourOf(first, 'Enter', body)).toBeUndefined();
});
