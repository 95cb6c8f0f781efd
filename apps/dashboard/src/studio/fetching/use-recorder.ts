import { useState } from 'react';
import { actionOfRow, isRepeatable, repeated, type BrowserAction } from '../../fetching/actions-list.tsx';
import { withMember } from '../../parts/forms.tsx';
import { suggestCss } from '../picker/selectors.ts';
import type { StudioState } from '../use-studio-state.ts';

const TYPED = /^(text|search|email|url|tel|number|password|date|)$/;

/** What a person can do with an element in a page. */
export function doingOf(element: Element): 'click' | 'type' | 'select' {
  if (element.localName === 'select') return 'select';
  if (element.localName === 'textarea') return 'type';
  const isTyped = element.localName === 'input' && TYPED.test(element.getAttribute('type') ?? '');
  return isTyped ? 'type' : 'click';
}

/** The action that does this with the element; undefined when nothing selects it. */
function actionOn(element: Element, text: string): BrowserAction | undefined {
  const target = suggestCss(element)[0]?.selector;
  return target === undefined
    ? undefined
    : actionOfRow({ kind: doingOf(element), target, text, isRepeated: false });
}

/** Records what a person does in the page as actions of the browser. */
export function useRecorder({ config, configure }: StudioState) {
  const [isRecording, setRecording] = useState(false);
  /** A field that waits for what is typed or chosen in it. */
  const [field, setField] = useState<Element | undefined>();
  const actions = config.actions ?? [];
  const last = actions.at(-1);
  const record = (next: readonly BrowserAction[]): void =>
    configure({
      ...withMember(config, 'actions', next.length === 0 ? undefined : [...next]),
      useBrowser: true,
    });
  const add = (action: BrowserAction | undefined): void => {
    if (action !== undefined) record([...actions, action]);
    setField(undefined);
  };
  return {
    isRecording,
    begin: () => setRecording(true),
    end: () => {
      setRecording(false);
      setField(undefined);
    },
    actions,
    record,
    field,
    onPick: (element: Element) => {
      if (doingOf(element) === 'click') add(actionOn(element, ''));
      else setField(element);
    },
    onText: (text: string) => field && add(actionOn(field, text)),
    /** Repeats what was done last until there is no more; undefined where it can't be repeated. */
    onRepeat:
      last === undefined || !isRepeatable(last) || last.until !== undefined
        ? undefined
        : () => record([...actions.slice(0, -1), repeated(last)]),
    onEnd: () => {
      if (last?.scroll !== 'end') add({ scroll: 'end' });
    },
  };
}
