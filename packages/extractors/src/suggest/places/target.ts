import type { TreeElement } from '../page/dom.ts';
import type { TextSpot } from '../page/page-model.ts';
import type { StructuralReading } from '../page/reading.ts';

/** A value on its page: a text, or an element with several texts. */
export interface ExampleTarget {
  readonly element: TreeElement;
  readonly reading: StructuralReading;
  /** Its first text. */
  readonly spot: TextSpot;
  /** Whether the value is the whole of that one text. */
  readonly isOneText: boolean;
}
