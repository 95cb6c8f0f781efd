interface Candidate {
  address: string;
  size: number;
}

/** The candidates of a `srcset`, as the HTML standard splits them. Takes time linear in the text. */
function candidatesOf(text: string): Candidate[] {
  const candidates: Candidate[] = [];
  const address = /[^\s,]\S*/g;
  for (let match = address.exec(text); match !== null; match = address.exec(text)) {
    let [found] = match;
    let size = 1;
    if (found.endsWith(',')) {
      while (found.endsWith(',')) found = found.slice(0, -1);
    } else {
      const start = address.lastIndex;
      const comma = text.indexOf(',', start);
      const end = comma === -1 ? text.length : comma;
      size = Number.parseFloat(/\d[\d.]{0,10}(?=[wx]\b)/i.exec(text.slice(start, end))?.[0] ?? '1');
      address.lastIndex = end;
    }
    candidates.push({ address: found, size });
  }
  return candidates;
}

/** Whether the text is a `srcset`: an address never ends in a width or density. */
export function isSourceSet(text: string): boolean {
  return /\s\d[\d.]{0,10}[wx]\s*(?:,|$)/i.test(text);
}

/** The address of the largest picture of a `srcset`. Of equal ones the first; those inside the page itself last. */
export function largestOf(text: string): string | undefined {
  let best: Candidate | undefined;
  for (const candidate of candidatesOf(text)) {
    const size = /^data:/i.test(candidate.address) ? 0 : candidate.size;
    if (best === undefined || size > best.size) best = { address: candidate.address, size };
  }
  return best?.address;
}
