import type { TreeElement } from './dom.ts';
import type { TextSpot } from './page-model.ts';
import type { StructuralReading } from './reading.ts';

/** A value on its page: a text, or an element with several texts. */
export interface ExampleTarget {
  readonly element: TreeElement;
  readonly reading: StructuralReading;
  /** Its first text. */
  readonly spot: TextSpot;
  /** Whether the value is the whole of that one text. */
  readonly isOneText: boolean;
}
