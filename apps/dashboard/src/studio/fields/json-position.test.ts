import { json } from '@codemirror/lang-json';
import { EditorState } from '@codemirror/state';
import { expect, it } from 'vitest';
import { findPosition } from './json-position.ts';

const TEXT = `{
  "fields": {"a": "h1", "price": {"css": [".x", ".y\\"[1]"], "type": "number"}}
}`;

const STATE = EditorState.create({ doc: TEXT, extensions: [json()] });

function shown(path: string): string {
  const { from, to } = findPosition(STATE, path);
  return TEXT.slice(from, to);
}

it('finds the value that a fault is about', () => {
  expect(shown('fields.price.css[1]')).toBe(String.raw`".y\"[1]"`);
  expect(shown('fields.a')).toBe('"h1"');
  expect(shown('fields.price.type')).toBe('"number"');
});

it('falls back on the nearest value around it', () => {
  expect(shown('fields.a.css')).toBe('"h1"');
  expect(shown('')).toBe(TEXT);
});
