import {
  autocompletion,
  closeBrackets,
  completionKeymap,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { json, jsonParseLinter } from '@codemirror/lang-json';
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
  syntaxTree,
} from '@codemirror/language';
import { linter, lintKeymap, type Diagnostic } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { FAILURE_EFFECTS, FIELD_TYPES, isObject, PAGE_FACTS, TAKES } from '@gleaner/contracts/values';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useLayoutEffect, useRef } from 'react';
import { operationQuery } from '../../api/call.ts';
import { memberOf } from '../../format/format.ts';
import type { Draft } from '../schema/draft.ts';
import type { StudioState } from '../use-studio-state.ts';
import styles from './fields.module.css';
import { findPosition } from './json-position.ts';

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--ink)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--blue)' },
  { tag: tags.punctuation, color: 'var(--ink-soft)' },
]);

const look = EditorView.theme({
  '&': { height: '100%', fontSize: '12px', backgroundColor: 'transparent', color: 'var(--ink)' },
  '.cm-content': { fontFamily: 'var(--mono)', caretColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--ink-soft)', border: 0 },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--ground-selected)',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--ground)',
    color: 'var(--ink)',
    border: '1px solid var(--line-strong)',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--ground-selected)',
    color: 'var(--ink)',
  },
  '&.cm-focused': { outline: 'none' },
});

/** What the text says; undefined while it is no complete JSON. */
function readJson({ state }: EditorView): unknown {
  try {
    return JSON.parse(state.doc.toString());
  } catch {
    return undefined;
  }
}

/** The members of a field and what they are for, from the language's own JSON Schema. */
function membersOf(schema: unknown): { label: string; info: string }[] {
  const branches = memberOf(memberOf(memberOf(schema, '$defs'), 'ParserField'), 'anyOf');
  const found = Array.isArray(branches) ? branches.map((branch) => memberOf(branch, 'properties')) : [];
  return Object.entries(found.find(isObject) ?? {}).map(([label, member]) => {
    const info = memberOf(member, 'description');
    return { label, info: typeof info === 'string' ? info : '' };
  });
}

const VALUES = new Map<string, readonly string[]>([
  ['type', FIELD_TYPES],
  ['take', TAKES],
  ['page', PAGE_FACTS],
  ['on_fail', FAILURE_EFFECTS],
]);

/** Completes the members of fields, and values where only a few are possible. */
function completeWith(getSchema: () => unknown) {
  return (context: CompletionContext): CompletionResult | null => {
    const node = syntaxTree(context.state).resolveInner(context.pos, -1);
    const property = node.name === 'Property' ? node : node.parent;
    const word = context.matchBefore(/"?[\w]*/);
    if (!word || (word.from === word.to && !context.explicit)) return null;
    if (node.name === 'String' && property?.name === 'Property') {
      const key = property.firstChild;
      const name = key ? context.state.sliceDoc(key.from + 1, key.to - 1) : '';
      const values = VALUES.get(name);
      return values ? { from: node.from + 1, options: values.map((label) => ({ label })) } : null;
    }
    const isName = node.name === 'PropertyName';
    const options = membersOf(getSchema()).map(({ label, info }) => ({
      label: isName ? label : `"${label}"`,
      info,
      apply: isName ? label : `"${label}": `,
    }));
    return { from: isName ? node.from + 1 : word.from, options };
  };
}

/** The schema as text, in step with the form: typed text changes the schema as soon as it is complete JSON. */
export default function JsonEditor({ studio }: { studio: StudioState }) {
  const { draft } = studio;
  const { data: language } = useQuery({ ...operationQuery('getParserLanguage', {}), staleTime: Infinity });
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | undefined>(undefined);
  const now = useRef({ studio, language });
  now.current = { studio, language };

  useEffect(() => {
    if (!place.current) return undefined;
    const mark = (editor: EditorView): Diagnostic[] => {
      const broken = jsonParseLinter()(editor);
      if (broken.length > 0) return broken;
      return now.current.studio.faults.map(({ path, reason }) => ({
        ...findPosition(editor.state, path),
        severity: 'error',
        message: reason,
      }));
    };
    const made = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: JSON.stringify(now.current.studio.draft, null, 2),
        extensions: [
          lineNumbers(),
          history(),
          drawSelection(),
          indentOnInput(),
          bracketMatching(),
          closeBrackets(),
          json(),
          syntaxHighlighting(colours),
          look,
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ 'aria-label': 'Schema as JSON' }),
          autocompletion({ override: [completeWith(() => now.current.language)] }),
          linter(mark, { delay: 200 }),
          keymap.of([...completionKeymap, ...lintKeymap, ...historyKeymap, ...defaultKeymap, indentWithTab]),
          EditorView.updateListener.of((update) => {
            if (!update.docChanged || !update.view.hasFocus) return;
            const value = readJson(update.view);
            // Not complete yet: the linter marks the position.
            if (!isObject(value) || !isObject(value['fields'])) return;
            // The engine checks the fields.
            now.current.studio.change(value as unknown as Draft);
          }),
        ],
      }),
    });
    view.current = made;
    return () => made.destroy();
  }, []);

  // Not after painting: a key could come first, and its text would be taken for an older one.
  useLayoutEffect(() => {
    const editor = view.current;
    if (!editor) return;
    const shown = readJson(editor);
    // Only a change from elsewhere replaces the text, or the caret would jump.
    if (shown === undefined ? editor.hasFocus : JSON.stringify(shown) === JSON.stringify(draft)) return;
    editor.dispatch({
      changes: { from: 0, to: editor.state.doc.length, insert: JSON.stringify(draft, null, 2) },
    });
  }, [draft]);

  return <div ref={place} className={styles.editor} />;
}
