/** The `ref` of a part that a click opens: it scrolls into view when it appears. */
export function scrollThere(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'nearest' });
}
