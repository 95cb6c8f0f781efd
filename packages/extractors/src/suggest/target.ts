import type { TreeElement } from './dom.ts';
import type { TextSpot } from './page-model.ts';
import type { Reading } from './structural.ts';

/** What a value is on its page: a text, or an element with several. */
export interface Target {
  readonly element: TreeElement;
  readonly reading: Reading;
  /** The first text of it. */
  readonly spot: TextSpot;
  /** Whether the value is the whole of that one text. */
  readonly isOneText: boolean;
}
