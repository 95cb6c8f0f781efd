/** A table of words with the number that each stands for: `tsd thousand 3|million 6`. */
export function numberTable(text: string): ReadonlyMap<string, number> {
  return new Map(
    text
      .trim()
      .split(/[|\n]/)
      .flatMap((entry) => {
        const words = entry.split(' ');
        const number = Number(words.pop());
        return words.map((word): [string, number] => [word, number]);
      }),
  );
}
